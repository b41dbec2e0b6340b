/** Says over the page that the server is away, and asks for everything again when it is back. */
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { healthQuery } from '../api/health';
import { clockText } from '../ui/staleText';
import { useZone } from '../ui/time';
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
    // Nothing of what is shown is known any more, so nothing of it is green (global.css).
    document.documentElement.dataset['known'] = String(!isAway);
  }, [isAway, queryClient]);
  return (
    <div className={classes.place} role="status">
      {isAway && (
        <div className={classes.banner}>
          <IconPlugConnectedX size={16} aria-hidden />
          <span>
            {health.why === 'silent'
              ? 'The server does not answer.'
              : 'The server cannot be reached.'}{' '}
            What is shown is from <time>{clockText(health.since, zone)}</time> or before.
          </span>
        </div>
      )}
    </div>
  );
}
