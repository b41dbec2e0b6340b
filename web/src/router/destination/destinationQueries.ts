/** The requests about running destinations. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import { postLines } from '../../api/lines';
import type { ReplayLine, TestAnswer, WaitingMessages, WireDestination } from '../../api/model';
import { type TimeRange, requestRange } from '../../ui/range';
import type { Item } from '../document';

/** The number of messages of a list that are shown. */
export const SHOWN_MAX = 100;

const POLL_MS = 2_000;

export type List = 'queue' | 'quarantine';

/** The oldest messages that wait, or that were refused. */
export function listQuery(list: List, id: string) {
  const params = { path: { id }, query: { limit: SHOWN_MAX } };
  return queryOptions({
    queryKey: ['router', list, id],
    queryFn: ({ signal }): Promise<WaitingMessages> =>
      unwrap(
        list === 'queue'
          ? client.GET('/api/v1/destinations/{id}/queue', { params, signal })
          : client.GET('/api/v1/destinations/{id}/quarantine', { params, signal }),
      ),
    refetchInterval: ({ state: { error } }) => error === null && POLL_MS,
  });
}

export type DestinationAction = 'pause' | 'resume' | 'retry';

export async function act(id: string, action: DestinationAction): Promise<void> {
  const params = { params: { path: { id } } };
  switch (action) {
    case 'pause':
      return unwrap(client.POST('/api/v1/destinations/{id}/pause', params));
    case 'resume':
      return unwrap(client.POST('/api/v1/destinations/{id}/resume', params));
    case 'retry':
      return unwrap(client.POST('/api/v1/destinations/{id}/retry', params));
  }
}

/** An action on the oldest messages of a list. */
export type OldestAction = 'discard' | 'sendAgain' | 'forget';

export async function actOnOldest(id: string, action: OldestAction, messages: number) {
  const request = { params: { path: { id } }, body: { messages } };
  switch (action) {
    case 'discard':
      return unwrap(client.POST('/api/v1/destinations/{id}/discard', request));
    case 'sendAgain':
      return unwrap(client.POST('/api/v1/destinations/{id}/quarantine/replay', request));
    case 'forget':
      return unwrap(client.POST('/api/v1/destinations/{id}/quarantine/discard', request));
  }
}

/**
 * Sends a test message with the settings of the form, live or not. A form can be wrong in any way,
 * which the server reports.
 */
export function sendTest(item: Item): Promise<TestAnswer> {
  const body = item as unknown as WireDestination;
  return unwrap(client.POST('/api/v1/destinations/test', { body }));
}

export type ReplayQuestion = { query: string; range: TimeRange; logspaces: readonly string[] };

export function replayCountQuery({ query, range, logspaces }: ReplayQuestion) {
  const body = {
    query,
    ...requestRange(range),
    ...(logspaces.length > 0 && { logspaces: [...logspaces] }),
  };
  return queryOptions({
    queryKey: ['router', 'replay', body],
    queryFn: async ({ signal }): Promise<number> =>
      (await unwrap(client.POST('/api/v1/count', { body, signal }))).count,
    retry: false,
  });
}

/**
 * Puts stored messages into the queue; reports the progress until it is done or `signal` is
 * aborted.
 */
export function replay(
  id: string,
  { query, range, logspaces }: ReplayQuestion,
  signal: AbortSignal,
): AsyncGenerator<ReplayLine> {
  const body = { query, ...requestRange(range), ...(logspaces.length > 0 && { logspaces }) };
  return postLines<ReplayLine>(
    `/api/v1/destinations/${encodeURIComponent(id)}/replay`,
    body,
    signal,
  );
}
