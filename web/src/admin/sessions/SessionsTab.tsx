/** Every open session, with its browser and address; each can be ended. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UnseenHead } from '../../ui/Table';
import type { SessionEntry } from '../../api/account';
import { endSessionOf, usersQuery } from '../../api/users';
import { browserName } from '../../ui/browserName';
import { initialsOf } from '../../ui/initials';
import { formatAge, formatTime, useZone } from '../../ui/time';
import { toast } from '../../ui/toast';
import { useUserRows } from '../accounts/AccountsTab';
import { countText } from '../accounts/rows';
import { FilterField, PagePart, TableFrame } from '../PagePart';
import { type SessionRow, shownSessions } from './sessionRows';
import classes from '../Admin.module.css';

type Props = { find: string; onFind: (find: string) => void };

export function SessionsTab({ find, onFind }: Props) {
  const users = useQuery(usersQuery);
  const cache = useQueryClient();
  const rows = useUserRows(users.data);
  const end = useMutation({
    mutationFn: ({ user, session }: SessionRow) => endSessionOf(user, session.id),
    onSettled: () => cache.invalidateQueries({ queryKey: usersQuery.queryKey }),
    onSuccess: (_, { user }) => toast({ tone: 'good', title: `A session of ${user} has ended` }),
    onError: (error) =>
      toast({ tone: 'error', title: 'The session is not ended', detail: error.message }),
  });
  const isLoading = users.isPending || rows.some(({ sessions }) => sessions === null);
  const all = shownSessions(rows, '');
  const shown = shownSessions(rows, find);
  return (
    <PagePart
      label="Sessions"
      note={isLoading ? undefined : countText(shown.length, all.length)}
      tools={
        <FilterField
          label="Find a session"
          placeholder="User, browser, address"
          value={find}
          onChange={onFind}
        />
      }
      isLoading={isLoading}
      error={users.error}
      onRetry={() => void users.refetch()}
    >
      {!isLoading && shown.length === 0 && (
        <p className={classes.none}>
          {find === '' ? 'Nobody is signed in.' : `No session matches “${find}”.`}
        </p>
      )}
      {!isLoading && shown.length > 0 && (
        <TableFrame
          label="List of sessions"
          heads={[
            'User',
            'Browser',
            'Address',
            'Began',
            'Ends if unused',
            <th scope="col" className={classes.number}>
              Last used
            </th>,
            <UnseenHead label="Actions" />,
          ]}
        >
          {shown.map((row) => (
            <Row
              key={row.session.id}
              row={row}
              isEnding={end.isPending && end.variables.session.id === row.session.id}
              onEnd={() => end.mutate(row)}
            />
          ))}
        </TableFrame>
      )}
    </PagePart>
  );
}

type RowProps = { row: SessionRow; isEnding: boolean; onEnd: () => void };

function Row({ row: { user, session }, isEnding, onEnd }: RowProps) {
  const [zone] = useZone();
  const name = browserName(session.user_agent);
  const day = (time: string) => formatTime(time, zone).slice(0, 16);
  return (
    <tr>
      <th scope="row">
        <span className={classes.who}>
          <span className={classes.avatar} aria-hidden>
            {initialsOf(user)}
          </span>
          {user}
        </span>
      </th>
      <td title={session.user_agent ?? undefined}>{name}</td>
      <td>{session.address ?? 'unknown'}</td>
      <td>{day(session.began_at)}</td>
      <td>{day(session.expires_at)}</td>
      <td className={classes.number}>{usedText(session)}</td>
      <td className={classes.number}>
        {session.current ? (
          <span className={classes.tag}>This session</span>
        ) : (
          <Button
            size="compact-xs"
            loading={isEnding}
            aria-label={`End the session of ${user}, ${name} from ${session.address ?? 'an unknown address'}`}
            onClick={onEnd}
          >
            End
          </Button>
        )}
      </td>
    </tr>
  );
}

function usedText({ current, last_used }: SessionEntry): string {
  return current ? 'now' : formatAge(last_used, Date.now());
}
