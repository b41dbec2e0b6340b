/** How many messages have come that are newer than the newest in the list, while the list stands still. */
import { useQuery } from '@tanstack/react-query';
import { client, isRefusal, unwrap } from '../../api/client';
import type { Message } from '../../api/model';
import { scopeOf } from '../queries';
import type { SearchState } from '../searchParams';

const ASK_MS = 3_000;

/** A count must not take more of the server than this part of its time. */
const REST_FACTOR = 20;

export function useNewer(state: SearchState, messages: readonly Message[], enabled: boolean) {
  const from = messages[0]?.time ?? null;
  // Those of the very same moment that are in the list are counted too.
  const listed = messages.findIndex(({ time }) => time !== from);
  const { data } = useQuery({
    queryKey: ['newer', scopeOf(state), from],
    queryFn: ({ signal }) => {
      const body = { ...scopeOf(state), from };
      return unwrap(client.POST('/api/v1/count', { body, signal }));
    },
    enabled: enabled && from !== null,
    refetchInterval: ({ state: { data: last, error } }) =>
      !isRefusal(error) && Math.max(ASK_MS, (last?.took_ms ?? 0) * REST_FACTOR),
  });
  if (!enabled || data === undefined) return 0;
  return Math.max(0, data.count - (listed === -1 ? messages.length : listed));
}
