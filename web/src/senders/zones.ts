/** Names for an offset: which time zones have it now. Pure, apart from what the browser knows of zones. */

/** The zones with this offset (`+02:00`) at a moment; the browser's own first. */
export function zonesWith(offset: string, at: Date, own = ownZone()): string[] {
  const others = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== own);
  return [own, ...others].filter((zone) => offsetOf(zone, at) === offset);
}

/** `+02:00` */
export function offsetOf(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return name === 'GMT' ? '+00:00' : name.replace('GMT', '');
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
