/** The path of a message through the router, as the live document reads it: route by route, step by step. */
import { Anchor, Skeleton } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/client';
import { requestTrace } from '../../api/trace';
import { Notice } from '../../ui/Notice';
import { MessagePath } from '../../ui/trace/MessagePath';
import { routerHref } from '../links';

export function PathTab({ id }: { id: string }) {
  const { data: trace, error, refetch } = useQuery(traceQuery(id));
  if (error !== null) return <NoPath error={error} onRetry={() => void refetch()} />;
  if (trace === undefined) return <Loading />;
  return (
    <div className="stack gap12">
      <p className="soft">
        What the router does with this message as it is set up now. Received by{' '}
        <b>{trace.source}</b>.{' '}
        <Anchor href={routerHref({ trace: id })} underline="always">
          Show it on the map
        </Anchor>
      </p>
      <MessagePath trace={trace} linkTo={(at) => routerHref({ item: `routes-${at}` })} />
    </div>
  );
}

function traceQuery(id: string) {
  return queryOptions({
    queryKey: ['trace', id],
    queryFn: () => requestTrace({ id }),
    retry: false,
  });
}

function NoPath({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 403) {
    return (
      <Notice tone="caution" title="You may not see the router.">
        Ask an administrator for the role operator, with access to all logspaces.
      </Notice>
    );
  }
  return <Notice tone="error" title={error.message} onRetry={onRetry} />;
}

function Loading() {
  return (
    <div role="status" aria-label="Tracing the message">
      {[60, 90, 80, 90].map((width, at) => (
        <Skeleton key={at} height={12} my={16} width={`${width}%`} />
      ))}
    </div>
  );
}
