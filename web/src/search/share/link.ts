/** Links to a search: with its relative range, or fixed to the times that it shows now. */
import type { TimeRange } from '../../ui/range';
import { type SearchState, writeSearch } from '../searchParams';

/** A link to a state, without marks and the open message, which belong to the user. */
export function searchLink(origin: string, state: SearchState, withMessage: boolean): string {
  const shared: SearchState = {
    ...state,
    marks: [],
    ...(!withMessage && { open: null, tab: 'fields' }),
  };
  const text = new URLSearchParams(writeSearch(shared)).toString();
  return `${origin}/search${text === '' ? '' : `?${text}`}`;
}

/** The same range as fixed moments; null if a moment is in a form that only the server can read. */
export function frozen(range: TimeRange, now: number): TimeRange | null {
  switch (range.kind) {
    case 'last': {
      const span = spanMs(range.span);
      return span === null ? null : { kind: 'between', from: iso(now - span), to: iso(now) };
    }
    case 'all':
      return { kind: 'between', from: null, to: iso(now) };
    case 'between': {
      const from = range.from === null ? null : moment(range.from, now);
      const to = moment(range.to ?? 'now', now);
      return from === undefined || to === undefined ? null : { kind: 'between', from, to };
    }
  }
}

/** Whether the range means other moments at a later time. */
export function moves(range: TimeRange): boolean {
  if (range.kind !== 'between') return true;
  return (
    range.to === null || [range.from, range.to].some((end) => end !== null && !isAbsolute(end))
  );
}

function moment(text: string, now: number): string | undefined {
  if (isAbsolute(text)) return text;
  const [, sign, count, unit] = /^(?:now)?(?:([-+])(\d+)([smhdw]))?$/u.exec(text) ?? [];
  if (text !== 'now' && sign === undefined) return undefined;
  const distance = sign === undefined ? 0 : spanMs(`${count ?? ''}${unit ?? ''}`);
  if (distance === null) return undefined;
  return iso(now + (sign === '-' ? -distance : distance));
}

function isAbsolute(text: string): boolean {
  return /^\d{4}-\d\d/u.test(text);
}

function spanMs(span: string): number | null {
  const [, count, unit] = /^(\d+)([smhdw])$/u.exec(span) ?? [];
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[unit ?? ''];
  return seconds === undefined ? null : Number(count) * seconds * 1000;
}

/** Empty if the moment is beyond the range of dates. */
function iso(time: number): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
