/**
 * Shows the asked-for page to those who are logged in; everyone else sees login or set-up in its place, under the
 * same address, and so comes back to where they were.
 */
import { Center, Loader } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import type { Session } from '../api/model';
import { sessionQuery } from '../api/session';
import { LoginPage } from '../session/LoginPage';
import { SetupPage } from '../session/SetupPage';
import { Empty } from '../ui/Empty';
import { Notice } from '../ui/Notice';
import { Shell } from './Shell';

export function Gate() {
  const queryClient = useQueryClient();
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const enter = (entered: Session) => {
    // What another user saw, or was refused, is not for this one.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    queryClient.setQueryData(sessionQuery.queryKey, entered);
  };

  if (session === undefined) {
    return error === null ? (
      <Waiting />
    ) : (
      <Unreachable error={error} retry={() => void refetch()} />
    );
  }
  if (session.setup_required) return <SetupPage version={session.version} onSignedIn={enter} />;
  if (session.user === null) return <LoginPage version={session.version} onSignedIn={enter} />;
  return (
    <Shell user={session.user} version={session.version}>
      <Outlet />
    </Shell>
  );
}

function Waiting() {
  return (
    <Center h="100%" role="status" aria-label="Loading">
      <Loader size="sm" />
    </Center>
  );
}

function Unreachable({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <main>
      <Empty isPage title="Logstead does not answer">
        <Notice tone="error" title={error.message} onRetry={retry} />
      </Empty>
    </main>
  );
}
