/** A bin of skews in words. */
import type { SkewBin } from '../api/model';
import { lengthText } from './senders';

/** `in step`, `1–2 s behind`, `about 2 h ahead`. */
export function binText({ from_ms: from, to_ms: to }: SkewBin): string {
  if (from === null) return 'two days or more ahead';
  if (to === null) return 'two days or more behind';
  if (from < 0 && to > 0) return 'in step';
  const [near, far] = [
    Math.min(Math.abs(from), Math.abs(to)),
    Math.max(Math.abs(from), Math.abs(to)),
  ];
  const side = from < 0 ? 'ahead' : 'behind';
  // From here on a bin is a quarter of an hour.
  if (near >= 450_000) return `about ${lengthText((near + far) / 2)} ${side}`;
  return `${lengthText(near)} to ${lengthText(far)} ${side}`;
}
