/** The place of the lines: the lines themselves, or why there are none, and the way back to the newest. */
import { Anchor, Button, Skeleton } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import type { Message, ProblemDetail } from '../api/model';
import type { Tab } from '../messages/messageState';
import type { Hits } from '../ui/highlight';
import { formatCount, formatRate } from '../ui/number';
import { Empty } from '../ui/Empty';
import { Notice } from '../ui/Notice';
import { splitStages } from '../ui/query/lexer';
import { type ListOptions, Stream } from './Stream';
import type { Tail } from './tail';
import { useTailView } from './useTail';
import classes from './TailPane.module.css';
import emptyStatesClasses from './EmptyStates.module.css';

/** A screen reader can keep up with this many messages a second. */
const SLOW_PER_SECOND = 1;

type Props = {
  tail: Tail;
  label: string;
  query: string;
  hits: Hits;
  marks: Hits;
  list: ListOptions;
  paused: boolean;
  following: boolean;
  searchLink: string;
  onFollow: (following: boolean) => void;
  onResume: () => void;
  onQuery: (query: string) => void;
  onOpen: (id: string, messages: readonly Message[], tab?: Tab) => void;
};

export function StreamArea(props: Props) {
  const { tail, label, query, hits, marks, list, paused, following, onFollow } = props;
  const lines = useTailView(tail, (view) => view.lines);
  const isRefused = useTailView(tail, ({ connection }) => connection.kind === 'refused');
  const isSlow = useTailView(
    tail,
    ({ meter: { matched } }) => matched !== null && matched <= SLOW_PER_SECOND,
  );
  const goOn = () => {
    props.onResume();
    onFollow(true);
  };
  return (
    <div className={classes.stream}>
      {lines.length === 0 || isRefused ? (
        <EmptyStates tail={tail} query={query} searchLink={props.searchLink} />
      ) : (
        <Stream
          label={label}
          query={query}
          lines={lines}
          hits={hits}
          marks={marks}
          list={list}
          following={following && !paused}
          isSlow={isSlow && !paused}
          onFollow={onFollow}
          onQuery={props.onQuery}
          onOpen={props.onOpen}
        />
      )}
      <Waiting tail={tail} following={following} onGoOn={goOn} />
    </div>
  );
}

type WaitingProps = { tail: Tail; following: boolean; onGoOn: () => void };

/** The lines stand still, for whatever reason: says so, and leads back to the newest. */
function Waiting({ tail, following, onGoOn }: WaitingProps) {
  const waiting = useTailView(tail, (view) => view.waiting);
  if (waiting === 0 && following) return null;
  return (
    <Button
      variant="filled"
      className={classes.pill ?? ''}
      radius="xl"
      rightSection={<IconArrowDown size={14} aria-hidden />}
      onClick={onGoOn}
    >
      {waiting === 0 ? 'Paused' : `Paused, ${formatCount(waiting)} new`} · Follow
    </Button>
  );
}

type EmptyStatesProps = { tail: Tail; query: string; searchLink: string };

/** The states of a tail without lines: it begins, it was refused, or nothing matched yet. */
function EmptyStates({ tail, query, searchLink }: EmptyStatesProps) {
  const { connection, meter, waiting } = useTailView(tail, (view) => view);
  switch (connection.kind) {
    case 'refused':
      return (
        <div className={emptyStatesClasses.refused}>
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
    <div className={emptyStatesClasses.loading} role="status" aria-label="Connecting">
      {WIDTHS.map((width) => (
        <Skeleton key={width} height={12} width={`${width}%`} />
      ))}
    </div>
  );
}
