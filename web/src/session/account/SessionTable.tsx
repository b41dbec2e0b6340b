/** The user's sessions, and how to end them. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Table, UnseenHead } from '../../ui/Table';
import {
  type SessionEntry,
  endOtherSessions,
  endSessionById,
  sessionsQuery,
} from '../../api/account';
import { Notice } from '../../ui/Notice';
import { formatAge, formatTime, useZone } from '../../ui/time';
import { toast } from '../../ui/toast';
import { browserName } from '../../ui/browserName';
import classes from './Account.module.css';

export function SessionTable() {
  const { data: sessions, error, refetch, dataUpdatedAt } = useQuery(sessionsQuery);
  const cache = useQueryClient();
  const reload = () => void cache.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  const failed = (failure: Error) =>
    toast({ tone: 'error', title: 'The session is not ended', detail: failure.message });
  const endOne = useMutation({ mutationFn: endSessionById, onSettled: reload, onError: failed });
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSettled: reload,
    onError: failed,
    onSuccess: () => toast({ tone: 'good', title: 'All other sessions have ended' }),
  });
  const hasOthers = sessions?.some(({ current }) => !current) === true;
  return (
    <section className={classes.table} tabIndex={0} aria-label="Sessions">
      <div className={classes.head}>
        <h2>Sessions</h2>
        <Button
          disabled={!hasOthers}
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate()}
        >
          End all others
        </Button>
      </div>
      {error !== null && (
        <Notice tone="error" title={error.message} onRetry={() => void refetch()} />
      )}
      {sessions !== undefined && (
        <Table heads={['Browser', 'Address', 'Began', 'Last used', <UnseenHead label="Actions" />]}>
          {sessions.map((session) => (
            <Row
              key={session.id}
              session={session}
              now={dataUpdatedAt}
              isEnding={endOne.isPending && endOne.variables === session.id}
              onEnd={() => endOne.mutate(session.id)}
            />
          ))}
        </Table>
      )}
    </section>
  );
}

type RowProps = { session: SessionEntry; now: number; isEnding: boolean; onEnd: () => void };

function Row({ session, now, isEnding, onEnd }: RowProps) {
  const [zone] = useZone();
  const name = browserName(session.user_agent);
  return (
    <tr>
      <th scope="row" title={session.user_agent ?? undefined}>
        {name}
      </th>
      <td>{session.address ?? 'unknown'}</td>
      <td>{formatTime(session.began_at, zone).slice(0, 16)}</td>
      <td>{session.current ? 'now' : formatAge(session.last_used, now)}</td>
      <td>
        {session.current ? (
          <span className={classes.current}>This session</span>
        ) : (
          <Button
            loading={isEnding}
            onClick={onEnd}
            aria-label={`End the session of ${name} from ${session.address ?? 'an unknown address'}`}
          >
            End
          </Button>
        )}
      </td>
    </tr>
  );
}
