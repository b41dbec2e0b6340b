/** Bytes that no message holds, in words. */
import { formatBytes } from './number';

/** By reason. */
export type SkippedBytes = Readonly<Record<string, number>>;

/** The reason for bytes that nothing shows to be a message: they need attention. */
export const NOT_UNDERSTOOD = 'out_of_step';

const names: Readonly<Record<string, string>> = {
  [NOT_UNDERSTOOD]: 'not understood',
  too_long: 'cut from long messages',
  unfinished: 'of unfinished messages',
};

const abouts: Readonly<Record<string, string>> = {
  [NOT_UNDERSTOOD]:
    'Nothing shows that they are a message: the sender may count its frames wrongly.',
  too_long: 'The rest of messages that are longer than the source keeps of one.',
  unfinished: 'Their senders went away in the middle, and were not told that they were taken.',
};

export function skippedName(reason: string): string {
  return names[reason] ?? reason.replaceAll('_', ' ');
}

export function skippedAbout(reason: string): string {
  return abouts[reason] ?? '';
}

export function skippedSum(bytes: SkippedBytes): number {
  return Object.values(bytes).reduce((sum, more) => sum + more, 0);
}

/** The reasons with any bytes, the most frequent first. */
export function skippedParts(bytes: SkippedBytes): [string, number][] {
  return Object.entries(bytes)
    .filter(([, count]) => count > 0)
    .sort(([, left], [, right]) => right - left);
}

/** `512.0 KiB not understood, 3.0 KiB cut from long messages` */
export function skippedText(bytes: SkippedBytes): string {
  return skippedParts(bytes)
    .map(([reason, count]) => `${formatBytes(count)} ${skippedName(reason)}`)
    .join(', ');
}
