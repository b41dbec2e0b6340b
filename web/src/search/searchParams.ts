/** The search page's whole state. It lives in the address bar, so a search can be shared and reloaded. */

export type SearchState = {
  query: string;
  range: TimeRange;
  /** Empty means all of them. */
  logspaces: readonly string[];
  /** The id of the message whose details are shown. */
  open: string | null;
  refresh: Refresh;
};

export type TimeRange =
  | { kind: 'last'; span: string }
  | { kind: 'all' }
  | { kind: 'between'; from: string | null; to: string | null };

/** Seconds between two refreshes; `live` as soon as may be; `off` when the results stay as they are. */
export type Refresh = 'live' | '5' | '10' | 'off';

export const refreshes: readonly Refresh[] = ['live', '5', '10', 'off'];

/** A message is to be seen within a second, the search itself and the way there and back included. */
const LIVE_MS = 500;

export const presets: readonly { span: string; label: string }[] = [
  { span: '5m', label: 'Last 5 minutes' },
  { span: '15m', label: 'Last 15 minutes' },
  { span: '1h', label: 'Last hour' },
  { span: '6h', label: 'Last 6 hours' },
  { span: '24h', label: 'Last 24 hours' },
  { span: '7d', label: 'Last 7 days' },
  { span: '30d', label: 'Last 30 days' },
];

const initial: SearchState = {
  query: '',
  range: { kind: 'last', span: '1h' },
  logspaces: [],
  open: null,
  refresh: 'live',
};

type Params = Record<string, string | undefined>;

/** Never fails: what cannot be read is left to its default, and times go to the server to be judged. */
export function readSearch(params: Params): SearchState {
  return {
    query: params['q'] ?? initial.query,
    range: readRange(params['from'], params['to']),
    logspaces: (params['logspace'] ?? '').split(',').filter((id) => id !== ''),
    open: params['open'] ?? null,
    refresh: refreshes.find((refresh) => refresh === params['refresh']) ?? initial.refresh,
  };
}

/** The shortest parameters that `readSearch` reads as the same state. */
export function writeSearch(state: SearchState): Record<string, string> {
  return {
    ...(state.query !== '' && { q: state.query }),
    ...writeRange(state.range),
    ...(state.logspaces.length > 0 && { logspace: state.logspaces.join(',') }),
    ...(state.open !== null && { open: state.open }),
    ...(state.refresh !== initial.refresh && { refresh: state.refresh }),
  };
}

function readRange(from: string | undefined, to: string | undefined): TimeRange {
  if (from === undefined && to === undefined) return initial.range;
  if (from === 'all' && to === undefined) return { kind: 'all' };
  const span = /^-(\d+[smhdw])$/.exec(from ?? '')?.[1];
  if (span !== undefined && to === undefined) return { kind: 'last', span };
  return { kind: 'between', from: from ?? null, to: to ?? null };
}

function writeRange(range: TimeRange): Record<string, string> {
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

function isInitial(range: { span: string }): boolean {
  return initial.range.kind === 'last' && range.span === initial.range.span;
}

/** The range as a search request says it. A relative range has no end, so that fast clocks are seen too. */
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

/** The time between two refreshes; false when there are none. */
export function refreshInterval(refresh: Refresh): number | false {
  switch (refresh) {
    case 'live':
      return LIVE_MS;
    case '5':
    case '10':
      return Number(refresh) * 1000;
    case 'off':
      return false;
  }
}

/** A range that ends at a fixed moment gets no new messages worth asking for. */
export function canRefresh(range: TimeRange): boolean {
  return range.kind !== 'between' || range.to === null;
}

/** Whether a query leaves nothing out. */
export function isEverything(query: string): boolean {
  return query === '' || query === '*';
}
