/** The targets of a message, in words. */

export const DROPPED = 'dropped:';
/** All of the message's targets are disabled destinations. */
export const ONLY_DISABLED = 'dropped:destination_disabled';

/** `logspace:main` and `destination:siem` as `main + siem`; `dropped:route:fw/step:2` as `dropped by fw, step 2`. */
export function outcomeText(outcome: readonly string[]): string {
  if (outcome.length === 0) return 'dropped';
  return inOrder(outcome).map(targetText).join(' + ');
}

/** Stored comes before forwarded, and forwarded before dropped. */
export function inOrder(outcome: readonly string[]): string[] {
  const rank = (target: string) =>
    target.startsWith('logspace:') ? 0 : target.startsWith(DROPPED) ? 2 : 1;
  return [...outcome].sort((a, b) => rank(a) - rank(b));
}

export function targetText(target: string): string {
  if (!target.startsWith(DROPPED)) return nameOf(target);
  const reason = target.slice(DROPPED.length);
  if (isUnrouted(target)) return 'dropped, no route';
  if (target === ONLY_DISABLED) return 'dropped, its destinations are off';
  const dropped = droppedBy(target);
  return dropped === null
    ? `dropped: ${reason}`
    : `dropped by ${dropped.route}, step ${dropped.step}`;
}

/** The name in `logspace:main` or `destination:siem`. */
export function nameOf(target: string): string {
  return target.replace(/^(logspace|destination):/, '');
}

/** The route and step in `dropped:route:fw/step:2`. */
export function droppedBy(target: string): { route: string; step: number } | null {
  const [, route, step] = /^dropped:route:(.*)\/step:(\d+)$/.exec(target) ?? [];
  return route === undefined || step === undefined ? null : { route, step: Number(step) };
}

export function isUnrouted(target: string): boolean {
  return target === 'dropped:no_route' || target === 'dropped:unrouted';
}

export function isDropped(outcome: readonly string[]): boolean {
  return outcome.every((target) => target.startsWith(DROPPED));
}
