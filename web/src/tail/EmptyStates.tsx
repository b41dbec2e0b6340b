/** The states of a tail without lines: it begins, it was refused, or nothing matched yet. */
import { Anchor, Skeleton } from '@mantine/core';
import type { ProblemDetail } from '../api/model';
import { Empty } from '../ui/Empty';
import { Notice } from '../ui/Notice';
import { formatRate } from '../ui/number';
import { splitStages } from '../ui/query/stages';
import type { Tail } from './tail';
import { useTailView } from './useTail';
import classes from './EmptyStates.module.css';

type Props = { tail: Tail; query: string; searchLink: string };

export function EmptyStates({ tail, query, searchLink }: Props) {
  const { connection, meter, waiting } = useTailView(tail, (view) => view);
  switch (connection.kind) {
    case 'refused':
      return (
        <div className={classes.refused}>
          <Notice
            tone="error"
            title={refusalText(query, connection.problem)}
            onRetry={() => tail.retry()}
          >
            The query was <code>{query === '' ? '*' : query}</code>.{' '}
            <Anchor href={searchLink} size="sm" underline="always">
              Open in Search
            </Anchor>
          </Notice>
        </div>
      );
    case 'connecting':
      return <Loading />;
    case 'waiting':
      return (
        <Empty title="No connection to the server">
          <p>{connection.problem.detail ?? connection.problem.title}</p>
        </Empty>
      );
    case 'open':
    case 'closed':
      if (waiting > 0) return <Empty title="New messages are waiting" />;
      return (
        <Empty title="Waiting for matches">
          <p>{arrivingText(meter.received)} New matches appear here as soon as they are stored.</p>
          <Anchor href={searchLink} underline="always">
            Search stored messages
          </Anchor>
        </Empty>
      );
  }
}

/** The server's text about stages is meant for programs. */
function refusalText(query: string, { detail, title }: ProblemDetail): string {
  const { stages } = splitStages(query);
  return stages === ''
    ? (detail ?? title)
    : `A tail shows messages, not tables. Remove ${stages.trim()}`;
}

function arrivingText(received: number | null): string {
  if (received === null) return '';
  if (received === 0) return 'These logspaces are receiving nothing right now.';
  return `Receiving ${formatRate(received)} messages/s; none of them match.`;
}

const WIDTHS = [72, 64, 80, 48, 68, 76, 56, 60];

function Loading() {
  return (
    <div className={classes.loading} role="status" aria-label="Connecting">
      {WIDTHS.map((width) => (
        <Skeleton key={width} height={12} width={`${width}%`} />
      ))}
    </div>
  );
}
