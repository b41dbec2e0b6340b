/** The place of the lines: the lines themselves, or why there are none, and the way back to the newest. */
import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import type { Message } from '../api/model';
import type { Tab } from '../messages/messageState';
import type { Hits } from '../ui/highlight';
import { formatCount } from '../ui/number';
import { EmptyStates } from './EmptyStates';
import { type ListOptions, Stream } from './Stream';
import type { Tail } from './tail';

import { useTailView } from './useTail';
import classes from './TailPane.module.css';

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
      className={classes.pill ?? ''}
      radius="xl"
      rightSection={<IconArrowDown size={14} aria-hidden />}
      onClick={onGoOn}
    >
      {waiting === 0 ? 'Paused' : `Paused, ${formatCount(waiting)} new`} · Follow
    </Button>
  );
}
