/** The state of the senders page, kept in the address bar. */

export const senderFilters = ['all', 'silent', 'skewed', 'unparsed', 'new'] as const;
/** The filter of the list. */
export type SenderFilter = (typeof senderFilters)[number];

export const sorts = ['state', 'host', 'source', 'rate', 'seen', 'skew', 'unparsed'] as const;
export type Sort = (typeof sorts)[number];

/** A host of a source. */
export type SenderKey = { source: string; host: string };

export type SendersState = {
  /** A part of the host, source, address or subject. */
  find: string;
  show: SenderFilter;
  sort: Sort;
  isReversed: boolean;
  /** The sender whose panel is open. */
  open: SenderKey | null;
};

type Params = Record<string, string | undefined>;

/** Never fails: values that cannot be read are left out. */
export function readSenders(params: Params): SendersState {
  const [, minus = '', name = ''] = /^(-?)(.*)$/.exec(params['sort'] ?? '') ?? [];
  const { source, host } = params;
  return {
    find: params['find'] ?? '',
    show: senderFilters.find((show) => show === params['show']) ?? 'all',
    sort: sorts.find((sort) => sort === name) ?? 'state',
    isReversed: minus === '-',
    open: source === undefined || host === undefined ? null : { source, host },
  };
}

/** The shortest parameters that `readSenders` reads as the same state. */
export function writeSenders(state: SendersState): Record<string, string> {
  const { find, show, sort, isReversed, open } = state;
  const order = `${isReversed ? '-' : ''}${sort}`;
  return {
    ...(find !== '' && { find }),
    ...(show !== 'all' && { show }),
    ...(order !== 'state' && { sort: order }),
    ...open,
  };
}
