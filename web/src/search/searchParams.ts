/**
 * The whole state of the search page. It is kept in the address bar, so a search can be shared and
 * reloaded.
 */
import {
  type MessageState,
  initialColumns,
  initialFacets,
  tabs,
  views,
} from '../messages/messageState';
import type { Times } from '../ui/message/times';
import { readRange, writeRange } from '../ui/range';

export type SearchState = MessageState & {
  /** The text of the clauses that are switched off for now. */
  off: readonly string[];
  times: Times;
  /** Whether long messages are wrapped to several lines. */
  wrap: boolean;
  /** The field by which the bars of the histogram are split; empty if they are not. */
  split: string;
  /** The ids of marked messages, which can be compared. */
  marks: readonly string[];
  refresh: Refresh;
  chart: ChartView;
  /** The column that a chart shows; empty for the first suitable one. */
  measure: string;
  /** The number of the saved search that this was opened from; empty if there is none. */
  saved: string;
};

/** How the answer to a query with stages is shown; `auto` is the most suitable way. */
export type ChartView = 'auto' | 'table' | 'bars' | 'lines' | 'area';
/**
 * The seconds between two refreshes; `live` as soon as possible; `off` if the results stay
 * unchanged.
 */
export type Refresh = 'live' | '5' | '10' | 'off';

export const refreshes: readonly Refresh[] = ['live', '5', '10', 'off'];
const timesShown: readonly Times[] = ['absolute', 'relative', 'device', 'received'];
const charts: readonly ChartView[] = ['auto', 'table', 'bars', 'lines', 'area'];

/**
 * The interval of live refreshes: a message should be visible within a second, including the search
 * itself and the round trip.
 */
const LIVE_MS = 500;

const initial: SearchState = {
  query: '',
  off: [],
  range: readRange(undefined, undefined),
  logspaces: [],
  view: 'lines',
  columns: initialColumns,
  times: 'absolute',
  wrap: false,
  split: 'severity',
  facets: initialFacets,
  open: null,
  tab: 'fields',
  marks: [],
  refresh: 'off',
  chart: 'auto',
  measure: '',
  saved: '',
};

type Params = Record<string, string | undefined>;

/**
 * Never fails: what cannot be read is left to its default, and times go to the server to be judged. Whether results are
 * refreshed is up to the reader where the address does not say.
 */
export function readSearch(params: Params, refresh: Refresh = initial.refresh): SearchState {
  return {
    query: params['q'] ?? initial.query,
    off: readLines(params['off']),
    range: readRange(params['from'], params['to']),
    logspaces: readList(params['logspace']) ?? [],
    view: oneOf(views, params['view']) ?? initial.view,
    columns: readList(params['columns']) ?? initial.columns,
    times: oneOf(timesShown, params['times']) ?? initial.times,
    wrap: params['wrap'] === '1',
    split: params['split'] ?? initial.split,
    facets: readList(params['facets']) ?? initial.facets,
    open: params['open'] ?? null,
    tab: oneOf(tabs, params['tab']) ?? initial.tab,
    marks: readList(params['marks']) ?? [],
    refresh: oneOf(refreshes, params['refresh']) ?? refresh,
    chart: oneOf(charts, params['chart']) ?? initial.chart,
    measure: params['measure'] ?? initial.measure,
    saved: params['saved'] ?? initial.saved,
  };
}

/** The shortest parameters that `readSearch` reads as the same state. */
export function writeSearch(state: SearchState): Record<string, string> {
  return {
    ...(state.query !== '' && { q: state.query }),
    ...(state.off.length > 0 && { off: state.off.join('\n') }),
    ...writeRange(state.range),
    ...(state.logspaces.length > 0 && { logspace: state.logspaces.join(',') }),
    ...(state.view !== initial.view && { view: state.view }),
    ...(!isSame(state.columns, initial.columns) && { columns: state.columns.join(',') }),
    ...(state.times !== initial.times && { times: state.times }),
    ...(state.wrap && { wrap: '1' }),
    ...(state.split !== initial.split && { split: state.split }),
    ...(!isSame(state.facets, initial.facets) && { facets: state.facets.join(',') }),
    ...(state.open !== null && { open: state.open }),
    ...(state.tab !== initial.tab && { tab: state.tab }),
    ...(state.marks.length > 0 && { marks: state.marks.join(',') }),
    ...(state.refresh !== initial.refresh && { refresh: state.refresh }),
    ...(state.chart !== initial.chart && { chart: state.chart }),
    ...(state.measure !== initial.measure && { measure: state.measure }),
    ...(state.saved !== initial.saved && { saved: state.saved }),
  };
}

/** The minimum time between two refreshes; false if there are none. */
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

/** Whether no search has been entered: in that case the page shows an overview of the range. */
export function isBlank({ query, off, open, marks }: SearchState): boolean {
  return query === '' && off.length === 0 && open === null && marks.length === 0;
}

/** Whether a query matches everything. */
export function isEverything(query: string): boolean {
  return query === '' || query === '*';
}

function readList(text: string | undefined): string[] | undefined {
  return text?.split(',').filter((part) => part !== '');
}

function readLines(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((part) => part.trim() !== '');
}

function oneOf<Value extends string>(values: readonly Value[], text?: string): Value | undefined {
  return values.find((value) => value === text);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join(',') === b.join(',');
}
