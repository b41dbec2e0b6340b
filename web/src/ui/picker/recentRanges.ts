/** The ranges that were chosen last in this browser, apart from the presets, which are always at hand. */
import { type TimeRange, isSameRange, presets } from '../range';
import { useBrowserState } from '../useBrowserState';

const RECENT_MAX = 5;

export function useRecentRanges(): readonly [readonly TimeRange[], (range: TimeRange) => void] {
  const [recent, setRecent] = useBrowserState<TimeRange[]>({
    key: 'logstead-ranges',
    defaultValue: [],
    deserialize: readRecent,
  });
  const remember = (range: TimeRange) => {
    const isPreset =
      range.kind === 'all' ||
      (range.kind === 'last' && presets.some(({ span }) => span === range.span));
    if (isPreset) return;
    const others = recent.filter((one) => !isSameRange(one, range));
    setRecent([range, ...others].slice(0, RECENT_MAX));
  };
  return [recent, remember];
}

/** The text may be of another version or written by hand: it must not break the page. */
function readRecent(text: string | undefined): TimeRange[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(read) ? read.filter(isRange) : [];
  } catch {
    return [];
  }
}

function isRange(value: unknown): value is TimeRange {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  const isMoment = (moment: unknown) => moment === null || typeof moment === 'string';
  if (value.kind === 'last') return 'span' in value && typeof value.span === 'string';
  return (
    value.kind === 'between' &&
    'from' in value &&
    'to' in value &&
    isMoment(value.from) &&
    isMoment(value.to)
  );
}
