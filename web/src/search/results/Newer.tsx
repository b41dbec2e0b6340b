/** Says in the head of the list how many messages have come since, and takes them in. Never over a row. */
import { IconArrowUp } from '@tabler/icons-react';
import { formatCount } from '../../ui/number';
import { useQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Message } from '../../api/model';
import { scopeOf } from '../../messages/messageState';
import type { SearchState } from '../searchParams';
import { useOnStored } from '../useOnStored';
import classes from './Newer.module.css';

type Props = { count: number; onTakeIn: () => void };

export function Newer({ count, onTakeIn }: Props) {
  return (
    <button type="button" className={classes.newer} title="Show them (Home)" onClick={onTakeIn}>
      <IconArrowUp size={12} aria-hidden />
      {formatCount(count)} new
    </button>
  );
}

const REST_MS = 1_000;

/** The number of messages that are newer than the newest in the list, while the list stands still. */
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
  useOnStored(counts, REST_MS, refetch);
  if (!counts || data === undefined) return 0;
  return Math.max(0, data.count - (listed === -1 ? messages.length : listed));
}
