/** Says over the page that the server is away, and asks for everything again when it is back. */
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { healthQuery } from '../api/health';
import { momentText, useZone } from '../ui/time';
import classes from './AwayBanner.module.css';

export function AwayBanner() {
  const queryClient = useQueryClient();
  const { data: health } = useQuery(healthQuery);
  const [zone] = useZone();
  const isAway = health?.state === 'unreachable';
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && !isAway) {
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] !== healthQuery.queryKey[0],
      });
    }
    wasAway.current = isAway;
  }, [isAway, queryClient]);
  return (
    <div className={classes.place} role="status">
      {isAway && (
        <div className={classes.banner}>
          <IconPlugConnectedX size={16} aria-hidden />
          <span>
            The server has been unreachable since{' '}
            <time>{momentText(new Date(health.since).toISOString(), zone).slice(11, 19)}</time>;
            retrying.
          </span>
        </div>
      )}
    </div>
  );
}
