/** Before a session ends: when, and how to stay. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Session } from '../api/model';
import { endSession, endsAt, hasEnded, sessionQuery } from '../api/session';
import { momentText, useZone } from '../ui/time';
import { toast } from '../ui/toast';
import { endsSoon, waitBeforeWarning } from './expiry';
import classes from './AwayBanner.module.css';

export function ExpiryWarning({ session }: { session: Session }) {
  const queryClient = useQueryClient();
  const [zone] = useZone();
  const ends = endsAt(session);
  const [warned, setWarned] = useState<number | null>(null);
  useEffect(() => {
    const wait = waitBeforeWarning(ends, Date.now());
    if (wait === null) return;
    const timer = setTimeout(() => {
      void askAgain(queryClient).then((later) => {
        // Any request in the meantime may have prolonged the session.
        if (endsSoon(later, Date.now())) setWarned(later);
      });
    }, wait);
    return () => clearTimeout(timer);
  }, [ends, queryClient]);
  const stay = useMutation({
    mutationFn: () => askAgain(queryClient),
    onSuccess: (later) => {
      if (endsSoon(later, Date.now())) endSession(queryClient);
      else toast({ tone: 'good', title: 'You stay signed in' });
    },
    onError: (error) => toast({ tone: 'error', title: error.message }),
  });
  const isShown = warned !== null && warned === ends && !hasEnded(session);
  return (
    <div className={classes.place} role="status">
      {isShown && (
        <div className={classes.banner} data-tone="caution">
          <span>
            Your session ends at{' '}
            <time>{momentText(new Date(warned).toISOString(), zone).slice(11, 19)}</time>.
          </span>
          <Button variant="default" loading={stay.isPending} onClick={() => stay.mutate()}>
            Stay signed in
          </Button>
        </div>
      )}
    </div>
  );
}

/** The end that the server says now; a request prolongs a session that can be prolonged. */
async function askAgain(queryClient: ReturnType<typeof useQueryClient>): Promise<number | null> {
  return endsAt(await queryClient.query({ ...sessionQuery, staleTime: 0 }));
}
