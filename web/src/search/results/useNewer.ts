/** How many messages have come that are newer than the newest in the list, while the list stands still. */
import { useQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Message } from '../../api/model';
import { scopeOf } from '../../messages/asked';
import type { SearchState } from '../searchParams';
import { useStored } from '../useStored';

const REST_MS = 1_000;

export function useNewer(state: SearchState, messages: readonly Message[], enabled: boolean) {
  const from = messages[0]?.time ?? null;
  // Those of the very same moment that are in the list are counted too.
  const listed = messages.findIndex(({ time }) => time !== from);
  const { data, refetch } = useQuery({
    queryKey: ['newer', scopeOf(state), from],
    queryFn: ({ signal }) => {
      const body = { ...scopeOf(state), from };
      return unwrap(client.POST('/api/v1/count', { body, signal }));
    },
    // Only when something was stored.
    enabled: false,
  });
  const counts = enabled && from !== null;
  useStored(counts, REST_MS, refetch);
  if (!counts || data === undefined) return 0;
  return Math.max(0, data.count - (listed === -1 ? messages.length : listed));
}
