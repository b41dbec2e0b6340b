/** Which stretch of time is looked at, as every page writes it in its address and in its requests. */

export type TimeRange =
  | { kind: 'last'; span: string }
  | { kind: 'all' }
  | { kind: 'between'; from: string | null; to: string | null };

export const presets: readonly { span: string; label: string }[] = [
  { span: '5m', label: 'Last 5 minutes' },
  { span: '15m', label: 'Last 15 minutes' },
  { span: '1h', label: 'Last hour' },
  { span: '6h', label: 'Last 6 hours' },
  { span: '24h', label: 'Last 24 hours' },
  { span: '7d', label: 'Last 7 days' },
  { span: '30d', label: 'Last 30 days' },
];

export const initialRange: TimeRange = { kind: 'last', span: '1h' };

/** Never fails: times that cannot be read go to the server to be judged. */
export function readRange(from: string | undefined, to: string | undefined): TimeRange {
  if (from === undefined && to === undefined) return initialRange;
  if (from === 'all' && to === undefined) return { kind: 'all' };
  const span = /^-(\d+[smhdw])$/.exec(from ?? '')?.[1];
  if (span !== undefined && to === undefined) return { kind: 'last', span };
  return { kind: 'between', from: from ?? null, to: to ?? null };
}

/** The shortest parameters that `readRange` reads as the same range. */
export function writeRange(range: TimeRange): Record<string, string> {
  switch (range.kind) {
    case 'last':
      return isInitial(range) ? {} : { from: `-${range.span}` };
    case 'all':
      return { from: 'all' };
    case 'between':
      // Between nothing and nothing is all time.
      if (range.from === null && range.to === null) return { from: 'all' };
      return {
        ...(range.from !== null && { from: range.from }),
        ...(range.to !== null && { to: range.to }),
      };
  }
}

/** The range as a request says it. A relative range has no end, so that fast clocks are seen too. */
export function requestRange(range: TimeRange): { from?: string; to?: string } {
  switch (range.kind) {
    case 'last':
      return { from: `-${range.span}` };
    case 'all':
      return {};
    case 'between':
      return {
        ...(range.from !== null && { from: range.from }),
        ...(range.to !== null && { to: range.to }),
      };
  }
}

/** A range that ends at a fixed moment gets no new messages worth asking for. */
export function canRefresh(range: TimeRange): boolean {
  return range.kind !== 'between' || range.to === null;
}

function isInitial(range: { span: string }): boolean {
  return initialRange.kind === 'last' && range.span === initialRange.span;
}
