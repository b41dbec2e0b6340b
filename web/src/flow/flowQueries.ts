/** The requests of the flow page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, isRefusal, unwrap } from '../api/client';
import type { Ledger } from '../api/model';
import { editedQuery } from '../api/query';
import { type TimeRange, canRefresh } from '../ui/range';

const POLL_MS = 5_000;
/** Longer than the ledger is kept: 13 months. */
const EVER = '-400d';

/** The resolution is left to the server, which knows what is kept. */
export function flowQuery(range: TimeRange) {
  const query = timesOf(range);
  return queryOptions({
    queryKey: ['flow', query],
    queryFn: ({ signal }): Promise<Ledger> =>
      unwrap(client.GET('/api/v1/flow', { params: { query }, signal })),
    refetchInterval: ({ state: { error } }) => !isRefusal(error) && canRefresh(range) && POLL_MS,
    placeholderData: keepPreviousData,
  });
}

/** A search for the messages received through a source, as the server writes it. */
export function sourceQuery(source: string) {
  return editedQuery('', [{ op: 'include', field: 'source', value: source }]);
}

/** Without a beginning the server would assume an hour. */
export function timesOf(range: TimeRange): { from: string; to?: string } {
  switch (range.kind) {
    case 'last':
      return { from: `-${range.span}` };
    case 'all':
      return { from: EVER };
    case 'between':
      return { from: range.from ?? EVER, ...(range.to !== null && { to: range.to }) };
  }
}
