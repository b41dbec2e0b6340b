/** One tail: what it asks for, how much comes, and what came. */
import { ActionIcon, Button } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { completeIn } from '../api/complete';
import type { Message } from '../api/model';
import type { Tab } from '../messages/messageState';
import { textHits } from '../ui/highlight';
import { OffClauses } from '../ui/query/OffClauses';
import { QueryField, type QueryFieldHandle } from '../ui/query/QueryField';
import { useClauseActions, useClauses } from '../ui/query/useClauses';
import { useHits } from '../ui/query/useReading';
import { useKeys } from '../ui/useKeys';
import { MeterRow } from './MeterRow';
import { StateLine } from './StateLine';
import { StreamArea } from './StreamArea';
import { searchLink } from './links';
import type { ListOptions } from './Stream';
import { marksFor } from './marks';
import { useTail } from './useTail';
import classes from './TailPane.module.css';

type Props = {
  query: string;
  /** Its clauses that are switched off for now. */
  off: readonly string[];
  logspaces: readonly string[];
  highlights: readonly string[];
  /** From 1; null where it is the only one. */
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
  /** The reader does something in it. */
  onTurnTo: () => void;
  onClose: (() => void) | undefined;
  onMatch: (query: string, messages: readonly Message[]) => void;
};

/** Draws itself only when what it is asked changes; its parts look at the tail by themselves. */
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
  // A query that came by the address or a click takes the place of what was written.
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
  /** And lets go of the keyboard, so that Space pauses the lines at once. */
  const runByKey = () => {
    run();
    field.current?.blur();
  };
  return (
    <div className="flex alignStart gap8 relative" role="search" aria-label={label}>
      <IconSearch className={classes.icon} size={16} aria-hidden />
      <QueryField
        ref={field}
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
        <ActionIcon size={36} aria-label={`Close tail ${number ?? 1}`} onClick={onClose}>
          <IconX size={16} />
        </ActionIcon>
      )}
    </div>
  );
}
