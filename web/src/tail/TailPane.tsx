/** One tail: what it asks for, how much comes, and what came. */
import { ActionIcon, Button } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { completeIn } from '../api/complete';
import type { Message } from '../api/model';
import { QueryField, type QueryFieldHandle } from '../ui/query/QueryField';
import { useKeys } from '../ui/useKeys';
import { useEdit, valueEdit } from '../ui/query/useEdit';
import { useHits } from '../ui/query/useReading';
import { messageLink, searchLink } from './links';
import { marksFor } from './marks';
import { MeterRow } from './MeterRow';
import { StateLine } from './StateLine';
import { StreamArea } from './StreamArea';
import { useTail } from './useTail';
import classes from './TailPane.module.css';

type Props = {
  query: string;
  logspaces: readonly string[];
  highlights: readonly string[];
  /** From 1; null where it is the only one. */
  number: number | null;
  wrap: boolean;
  paused: boolean;
  following: boolean;
  /** How often the lines were cleared. */
  cleared: number;
  onFollow: (following: boolean) => void;
  onResume: () => void;
  onQuery: (query: string) => void;
  onClose: (() => void) | undefined;
  onMatch: (query: string, messages: readonly Message[]) => void;
};

/** Draws itself only when what it is asked changes; its parts look at the tail by themselves. */
export function TailPane(props: Props) {
  const { query, logspaces, highlights, number, wrap, paused, following, cleared } = props;
  const { onQuery, onMatch } = props;
  const tellMatch = useCallback(
    (messages: readonly Message[]) => onMatch(query, messages),
    [onMatch, query],
  );
  const tail = useTail({ query, logspaces, paused, following, onMatch: tellMatch });
  useEffect(() => {
    if (cleared > 0) tail.clear();
  }, [tail, cleared]);
  const hits = useHits(query);
  const marks = useMemo(() => marksFor(hits, highlights), [hits, highlights]);
  const edit = useEdit(query);
  const label = (name: string) => (number === null ? name : `${name} of tail ${number}`);
  return (
    <section className={classes.pane} aria-label={number === null ? 'Tail' : `Tail ${number}`}>
      <QueryRow {...props} label={label('Query')} />
      <MeterRow tail={tail} />
      <StreamArea
        tail={tail}
        label={label('Messages')}
        query={query}
        marks={marks}
        wrap={wrap}
        paused={paused}
        following={following}
        searchLink={searchLink(query, logspaces)}
        onFollow={props.onFollow}
        onResume={props.onResume}
        linkTo={(message) => messageLink(query, logspaces, message)}
        onFilter={(field, value, exclude) => edit([valueEdit(field, value, exclude)], onQuery)}
      />
      <StateLine tail={tail} paused={paused} />
    </section>
  );
}

type QueryRowProps = Pick<Props, 'query' | 'logspaces' | 'number' | 'onQuery' | 'onClose'> & {
  label: string;
};

function QueryRow(props: QueryRowProps) {
  const { query, logspaces, number, label, onQuery, onClose } = props;
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
  const run = () => onQuery(text.trim());
  return (
    <div className={classes.query} role="search" aria-label={label}>
      <IconSearch className={classes.icon} size={16} aria-hidden />
      <QueryField
        ref={field}
        label={label}
        placeholder='Words, "a phrase", host:web*'
        value={text}
        complete={completeIn({ logspaces })}
        onChange={setText}
        onRun={run}
      />
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
