/**
 * Shows the requested page to users who are logged in. Everyone else sees login or set-up in its place, under the same
 * address, and so returns to where they were. When a session ends, the page stays and its user signs in over it.
 */
import { Button, Center, Loader } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { Suspense, useCallback, useDeferredValue, useEffect, useRef, useState } from 'react';
import { lazyPart } from '../api/code';
import type { Session } from '../api/model';
import { endSession, endsAt, hasEnded, sessionQuery, signOut } from '../api/session';
import { Empty } from '../ui/Empty';
import { Notice } from '../ui/Notice';
import { OpenContext } from '../ui/open';
import { momentText, useZone } from '../ui/time';
import { toast } from '../ui/toast';
import { Shell } from './Shell';
import { endsSoon, waitBeforeWarning } from './expiry';
import classes from './AwayBanner.module.css';

// These parts are not needed to open a page.
const LoginPage = lazyPart(() => import('../session/LoginPage'), 'LoginPage');
const SetupPage = lazyPart(() => import('../session/SetupPage'), 'SetupPage');
const SessionEnded = lazyPart(() => import('../session/SessionEnded'), 'SessionEnded');
const EnrolPage = lazyPart(() => import('../session/account/EnrolPage'), 'EnrolPage');

export function Gate() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const open = useCallback((href: string) => void navigate({ href }), [navigate]);
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const isOther = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'session',
  };
  const enter = (entered: Session) => {
    // Answers and refusals for another user must not be shown to this one.
    queryClient.removeQueries(isOther);
    queryClient.setQueryData(sessionQuery.queryKey, entered);
  };
  const goOn = (entered: Session) => {
    queryClient.setQueryData(sessionQuery.queryKey, entered);
    void queryClient.invalidateQueries(isOther);
  };
  const begin = (entered: Session) => {
    enter(entered);
    void navigate({ to: '/welcome' });
  };
  useReloadForAnother(session);

  if (session === undefined) {
    return error === null ? (
      <Waiting />
    ) : (
      <Unreachable error={error} retry={() => void refetch()} />
    );
  }
  if (session.setup_required) {
    return (
      <Suspense fallback={<Waiting />}>
        <SetupPage version={session.version} onSignedIn={begin} />
      </Suspense>
    );
  }
  if (session.user === null) {
    const { version, providers } = session;
    return (
      <Suspense fallback={<Waiting />}>
        <LoginPage version={version} providers={providers} onSignedIn={enter} />
      </Suspense>
    );
  }
  if (session.second_factor_required && session.authenticated) {
    const again = () => void queryClient.resetQueries({ queryKey: sessionQuery.queryKey });
    return (
      <Suspense fallback={<Waiting />}>
        <EnrolPage
          name={session.user.name}
          role={session.user.role}
          version={session.version}
          onDone={again}
          onSignOut={() => void signOut().finally(again)}
        />
      </Suspense>
    );
  }
  return (
    <Shell user={session.user} version={session.version}>
      <OpenContext value={open}>
        <Page />
      </OpenContext>
      <ExpiryWarning session={session} />
      {hasEnded(session) && (
        <Suspense>
          <SessionEnded opened name={session.user.name} onSignedIn={goOn} />
        </Suspense>
      )}
    </Shell>
  );
}

/**
 * If another user signs in, in this tab or another, the page is reloaded, so that nothing of the
 * previous user remains.
 */
function useReloadForAnother(session: Session | undefined): void {
  const seen = useRef<string | null>(null);
  const name = session?.user?.name ?? null;
  useEffect(() => {
    if (name !== null && seen.current !== null && name !== seen.current) window.location.reload();
    seen.current = name;
  }, [name]);
}

function Waiting() {
  return (
    <Center h="100%" role="status" aria-label="Loading">
      <Loader size="sm" />
    </Center>
  );
}

function Unreachable({ error, retry }: { error: Error; retry: () => void }) {
  // Retries regularly, so that this disappears as soon as there is an answer.
  useEffect(() => {
    const timer = setInterval(retry, RETRY_MS);
    return () => clearInterval(timer);
  });
  return (
    <main>
      <Empty isPage title="Logstead is not responding">
        <Notice tone="error" title={error.message}>
          Retrying every {RETRY_MS / 1000} seconds.
        </Notice>
        <Button onClick={retry}>Try now</Button>
      </Empty>
    </main>
  );
}

const RETRY_MS = 3_000;

/**
 * The page, rendered after the frame and in small pieces, so that keys and clicks do not wait for
 * it.
 */
function Page() {
  const isNext = useDeferredValue(true, false);
  return isNext ? <Outlet /> : null;
}

/** A warning before a session ends: when it ends, and how to stay signed in. */
function ExpiryWarning({ session }: { session: Session }) {
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
          <Button loading={stay.isPending} onClick={() => stay.mutate()}>
            Stay signed in
          </Button>
        </div>
      )}
    </div>
  );
}

/**
 * The end that the server reports now; this request itself prolongs a session that can be
 * prolonged.
 */
async function askAgain(queryClient: ReturnType<typeof useQueryClient>): Promise<number | null> {
  return endsAt(await queryClient.query({ ...sessionQuery, staleTime: 0 }));
}
