/** The verdict on a retention that is being edited: what it would delete, now and later. Pure. */
import type { RetentionPreview } from '../../api/logspaces';
import type { Limits } from '../growth/growth';
import { formatBytes, formatMessages } from '../../ui/number';
import { type Zone, formatTime } from '../../ui/time';

export type RetentionVerdict = { text: string; tone: 'quiet' | 'good' | 'caution' | 'bad' };

type Wish = {
  isChanged: boolean;
  isRight: boolean;
  wanted: Limits;
  live: Limits;
  /** Undefined while it is not known. */
  preview: RetentionPreview | undefined;
};

/** Only a retention that never deletes anything is shown as good. */
export function verdictOf(wish: Wish, zone: Zone): RetentionVerdict {
  const { isChanged, isRight, wanted, live, preview } = wish;
  if (!isChanged)
    return { text: 'Change a limit to see what it would delete, and when.', tone: 'quiet' };
  if (!isRight) return { text: 'A limit is not right yet.', tone: 'quiet' };
  if (preview === undefined) return { text: 'Looking at what would go…', tone: 'quiet' };
  const later = laterText(wanted, preview, zone);
  if (preview.messages > 0) {
    const now = `Deletes ${formatMessages(preview.messages)}, ${formatBytes(preview.bytes)}, for good.`;
    return { text: `${now} ${later}`.trim(), tone: 'bad' };
  }
  if (later === '') return { text: 'Deletes nothing.', tone: 'good' };
  const isShorter = isLess(wanted.ageMs, live.ageMs) || isLess(wanted.sizeBytes, live.sizeBytes);
  return { text: `Deletes nothing now. ${later}`, tone: isShorter ? 'caution' : 'quiet' };
}

function laterText({ ageMs, sizeBytes }: Limits, preview: RetentionPreview, zone: Zone): string {
  const { next_at: next, next_messages: messages, all_at: all } = preview;
  if (next === null || all === null) {
    if (ageMs !== null) return 'What comes goes when it is older than that.';
    return sizeBytes === null ? '' : 'The oldest go as soon as there is more.';
  }
  const at = (time: string) => formatTime(time, zone).slice(0, 16);
  const first = `The oldest ${formatMessages(messages)} go at ${at(next)}`;
  const isOne = at(next) === at(all);
  return isOne ? `${first}.` : `${first}, all that is stored now by ${at(all)}.`;
}

/** No limit counts as the highest limit. */
function isLess(one: number | null, other: number | null): boolean {
  return (one ?? Infinity) < (other ?? Infinity);
}
