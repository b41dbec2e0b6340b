/**
 * The router: the sources, the routes and the targets of messages, to watch and to change as a
 * draft.
 */
import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useFreshness } from '../api/freshness';
import type { Session } from '../api/model';
import { sessionQuery } from '../api/session';
import { PageLoadError } from '../ui/PageLoadError';
import { Workbench } from './Workbench';
import { liveQuery, statusQuery } from './queries';
import type { RouterView } from './routerParams';
import classes from './RouterPage.module.css';

type Props = { view: RouterView; onChange: (view: RouterView) => void };

export function RouterPage({ view, onChange }: Props) {
  const queryClient = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const { data: live, error, refetch } = useQuery(liveQuery);
  const status = useQuery(statusQuery);
  const known = useFreshness([status]);
  const appliedRevision = status.data?.revision;
  useEffect(() => {
    // Another user, or the command line, applied a revision.
    if (appliedRevision === undefined || live === undefined) return;
    if (appliedRevision !== live.revision)
      void queryClient.invalidateQueries({ queryKey: ['router'] });
  }, [appliedRevision, live, queryClient]);

  if (live !== undefined) {
    return (
      <Workbench
        live={live}
        status={known.isKnown ? status.data : undefined}
        statusError={status.error}
        canEdit={mayEdit(session)}
        view={view}
        onChange={onChange}
      />
    );
  }
  return (
    <div className="stack minHeight0 fullHeight">
      <header className={classes.head}>
        <h1>Router</h1>
      </header>
      <div className={classes.text}>
        {error === null ? (
          <Skeleton height={320} aria-label="Loading" />
        ) : (
          <PageLoadError error={error} isFilled={false} onRetry={() => void refetch()} />
        )}
      </div>
    </div>
  );
}

function mayEdit(session: Session | undefined): boolean {
  const role = session?.user?.role;
  return role === 'admin' || role === 'operator';
}
