/** One tail: its query, its rates, and the messages that arrived. */
import { Anchor, Button, Skeleton, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconX } from '@tabler/icons-react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { completeIn } from '../api/query';
import type { Message, ProblemDetail } from '../api/model';
import type { Tab } from '../messages/messageState';
import { IconButton } from '../ui/IconButton';
import { type Hits, textHits } from '../ui/highlight';
import { OffClauses } from '../ui/query/OffClauses';
import { QueryField, type QueryFieldHandle } from '../ui/query/QueryField';
import { useClauseActions, useClauses } from '../ui/query/useClauses';
import { useHits } from '../ui/query/useReading';
import { useKeys } from '../ui/useKeys';
import { formatCount, formatRate } from '../ui/number';
import { useZone } from '../ui/time';
import { Empty } from '../ui/Empty';
import { Notice } from '../ui/Notice';
import { splitStages } from '../ui/query/lexer';
import { searchLink } from './tailParams';
import { type ListOptions, Stream } from './Stream';
import { marksFor } from './marks';
import { useTail, useTailView } from './useTail';
import { LINES_MAX } from './buffer';
import { clockText, idleText, matchingText, stateText } from './idle';
import type { Tail } from './tail';
import { barsOf, secondText } from './bars';
import { SECONDS_MAX, type Second } from './rates';
import classes from './TailPane.module.css';
import stateLineClasses from './StateLine.module.css';
import meterRowClasses from './MeterRow.module.css';
import chartClasses from './Chart.module.css';
import emptyStatesClasses from './EmptyStates.module.css';

type Props = {
  query: string;
  /** The clauses of the query that are switched off for now. */
  off: readonly string[];
  logspaces: readonly string[];
  highlights: readonly string[];
  /** The number of the tail, from 1; null if it is the only one. */
  number: number | null;
  list: ListOptions;
  paused: boolean;
  following: boolean;
  /** The number of times the lines were cleared. */
  cleared: number;
  onFollow: (following: boolean) => void;
  onResume: () => void;
  onAsk: (part: { query?: string; off?: readonly string[] }) => void;
  onOpen: (id: string, messages: readonly Message[], tab?: Tab) => void;
  /** Called when the user acts in this tail. */
  onTurnTo: () => void;
  onClose: (() => void) | undefined;
  onMatch: (query: string, messages: readonly Message[]) => void;
};

/** It is only drawn again if its query changes; its parts read the state of the tail themselves. */
export function TailPane(props: Props) {
  const { query, logspaces, highlights, number, list, paused, following, cleared } = props;
  const { onAsk, onMatch } = props;
  const tellMatch = useCallback(
    (messages: readonly Message[]) => onMatch(query, messages),
    [onMatch, query],
  );
  const tail = useTail({ query, logspaces, paused, following, onMatch: tellMatch });
  useEffect(() => {
    if (cleared > 0) tail.clear();
  }, [tail, cleared]);
  const hits = useHits(query);
  const marks = useMemo(() => marksFor(textHits(hits), highlights), [hits, highlights]);
  const label = (name: string) => (number === null ? name : `${name} of tail ${number}`);
  return (
    <section
      className="stack gap8 minWidth0 minHeight0"
      aria-label={number === null ? 'Tail' : `Tail ${number}`}
      onFocusCapture={props.onTurnTo}
      onPointerDownCapture={props.onTurnTo}
    >
      <QueryRow {...props} label={label('Query')} />
      <MeterRow tail={tail} />
      <StreamArea
        tail={tail}
        label={label('Messages')}
        query={query}
        hits={hits}
        marks={marks}
        list={list}
        paused={paused}
        following={following}
        searchLink={searchLink(query, logspaces)}
        onFollow={props.onFollow}
        onResume={props.onResume}
        onQuery={(next) => onAsk({ query: next })}
        onOpen={props.onOpen}
      />
      <StateLine tail={tail} paused={paused} />
    </section>
  );
}

type QueryRowProps = Pick<Props, 'query' | 'off' | 'logspaces' | 'number' | 'onAsk' | 'onClose'> & {
  label: string;
};

function QueryRow(props: QueryRowProps) {
  const { query, off, logspaces, number, label, onAsk, onClose } = props;
  const [text, setText] = useState(query);
  const [known, setKnown] = useState(query);
  const field = useRef<QueryFieldHandle>(null);
  // A query from the address or from a click replaces the text that was typed.
  if (known !== query) {
    setKnown(query);
    setText(query);
  }
  const isFirst = number === null || number === 1;
  useKeys(isFirst ? { '/': { does: 'Go to the query', run: () => field.current?.focus() } } : {});
  const clauses = useClauses(text);
  const act = useClauseActions(
    text,
    field,
    (next) => onAsk({ query: next }),
    (next, part) => onAsk({ query: next, off: [...off, part] }),
  );
  const run = () => onAsk({ query: text.trim() });
  /** Runs the query and leaves the field, so that Space pauses the lines at once. */
  const runByKey = () => {
    run();
    field.current?.blur();
  };
  return (
    <div className="flex alignStart gap8 relative" role="search" aria-label={label}>
      <QueryField
        ref={field}
        hasIcon
        label={label}
        placeholder='Words, "a phrase", host:web*'
        value={text}
        clauses={clauses}
        complete={completeIn({ logspaces })}
        onClause={act}
        onChange={setText}
        onRun={runByKey}
      />
      <OffClauses state={{ query, off }} onChange={onAsk} />
      <Button size="sm" variant={text.trim() === query ? 'default' : 'filled'} onClick={run}>
        Tail
      </Button>
      {onClose !== undefined && (
        <IconButton icon={IconX} size={36} label={`Close tail ${number ?? 1}`} onClick={onClose} />
      )}
    </div>
  );
}

type StateLineProps = { tail: Tail; paused: boolean };

/**
 * The line below a tail: whether it is live, what it leaves out, and why there may be no messages.
 */
function StateLine({ tail, paused }: StateLineProps) {
  const connection = useTailView(tail, (view) => view.connection);
  const meter = useTailView(tail, (view) => view.meter);
  const [zone] = useZone();
  const idle = paused ? null : idleText(meter, zone);
  return (
    <div className="row gap16 height20 clip nowrap meta dimmed">
      <span className={stateLineClasses.state} data-kind={paused ? 'paused' : connection.kind}>
        <span className={stateLineClasses.dot} aria-hidden />
        {stateText(connection, paused, meter.now)}
      </span>
      {connection.kind === 'waiting' && (
        <UnstyledButton className="meta underlined accent" onClick={() => tail.retry()}>
          Retry now
        </UnstyledButton>
      )}
      {idle !== null && <span className="ellipsis">{idle}</span>}
      <Kept tail={tail} />
    </div>
  );
}

function Kept({ tail }: { tail: Tail }) {
  const fellOut = useTailView(tail, (view) => view.fellOut);
  if (fellOut === 0) return null;
  return (
    <span className="toEnd ellipsis">
      Showing the newest {formatCount(LINES_MAX)}; {formatCount(fellOut)} older are in Search
    </span>
  );
}

/** The rates of matches and of received messages, now and in the last minutes. */
function MeterRow({ tail }: { tail: Tail }) {
  const meter = useTailView(tail, (view) => view.meter);
  return (
    <div className={meterRowClasses.row}>
      <dl className={meterRowClasses.rates}>
        <Rate name="matching" text={matchingText(meter)} isPart={meter.shown !== null} />
        <Rate
          name="received"
          text={meter.received === null ? '–' : `${formatRate(meter.received)}/s`}
        />
      </dl>
      <Chart seconds={meter.seconds} />
    </div>
  );
}

type RateProps = { name: string; text: string; isPart?: boolean };

function Rate({ name, text, isPart = false }: RateProps) {
  const title = 'More match than are sent here. All are stored, and Search finds them.';
  return (
    <div className={meterRowClasses.rate} {...(isPart && { title })}>
      <dt>{name}</dt>
      <dd data-part={isPart}>{text}</dd>
    </div>
  );
}

const HEIGHT_PX = 44;

/** The matches of the last five minutes, by second and by severity. */
const Chart = memo(function Chart({ seconds }: { seconds: readonly Second[] }) {
  const [zone] = useZone();
  /** The distance of the bar under the pointer from the left edge. */
  const [at, setAt] = useState<number | null>(null);
  const { paths, unwatched, max } = barsOf(seconds, HEIGHT_PX);
  const pointed = at === null ? undefined : seconds[at];
  const sum = seconds.reduce((total, second) => total + second.total, 0);
  return (
    <div className="grow minWidth0">
      <svg
        className={chartClasses.bars}
        role="img"
        aria-label={`Matches of the last 5 minutes: ${sum} in total, at most ${max} in a second`}
        viewBox={`0 0 ${SECONDS_MAX} ${HEIGHT_PX}`}
        preserveAspectRatio="none"
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setAt(Math.floor(((clientX - left) / width) * SECONDS_MAX));
        }}
        onPointerLeave={() => setAt(null)}
      >
        <path className={chartClasses.unwatched} d={unwatched} />
        {paths.map(({ tone, path }) => (
          <path key={tone} data-tone={tone} d={path} />
        ))}
        {pointed !== undefined && at !== null && (
          <rect className={chartClasses.pointer} x={at} width={1} height={HEIGHT_PX} />
        )}
      </svg>
      <div className={chartClasses.scale} aria-hidden>
        {pointed === undefined ? (
          <>
            <span>−5 min</span>
            <span>peak {formatCount(max)}/s</span>
            <span>now</span>
          </>
        ) : (
          <span>
            {clockText(pointed.at * 1000, zone)} · {secondText(pointed)}
          </span>
        )}
      </div>
    </div>
  );
});

/** The maximum number of messages per second with which a screen reader can keep up. */
const SLOW_PER_SECOND = 1;

type StreamAreaProps = {
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

/**
 * The area of the lines: the lines themselves, or the reason why there are none, and a button that
 * leads back to the newest.
 */
function StreamArea(props: StreamAreaProps) {
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

/**
 * Shows that the lines do not follow the newest ones, for whatever reason, and leads back to them.
 */
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

/** The states of a tail without lines: it is starting, it was refused, or nothing matched yet. */
function EmptyStates({ tail, query, searchLink }: EmptyStatesProps) {
  const { connection, meter, waiting } = useTailView(tail, (view) => view);
  switch (connection.kind) {
    case 'refused':
      return (
        <div className="pad16">
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

/** The server's text about stages is intended for programs. */
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
