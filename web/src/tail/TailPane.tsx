/** One tail: what it asks for, how much comes, and what came. */
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowDown, IconX } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Message } from '../api/model';
import { hitPattern } from '../ui/highlight';
import { formatCount } from '../ui/number';
import { useKeys } from '../ui/useKeys';
import { withClause } from './clause';
import { Faces } from './Faces';
import { messageLink, searchLink } from './links';
import { marksFor } from './marks';
import { MeterRow } from './MeterRow';
import { QueryField } from './QueryField';
import { StateLine } from './StateLine';
import { Stream } from './Stream';
import { useTail } from './useTail';
import classes from './TailPane.module.css';

/** A screen reader can keep up with so many messages a second. */
const SLOW_PER_SECOND = 1;

type Props = {
  query: string;
  logspaces: readonly string[];
  highlights: readonly string[];
  /** From 1; null where it is the only one. */
  number: number | null;
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

export function TailPane(props: Props) {
  const { query, logspaces, highlights, number, paused, following, cleared } = props;
  const { onFollow, onQuery, onMatch } = props;
  const tellMatch = useCallback(
    (messages: readonly Message[]) => onMatch(query, messages),
    [onMatch, query],
  );
  const { tail, view } = useTail({ query, logspaces, paused, following, onMatch: tellMatch });
  useEffect(() => {
    if (cleared > 0) tail.clear();
  }, [tail, cleared]);
  const marks = useMemo(() => marksFor(hitPattern(query), highlights), [query, highlights]);
  const { lines, meter, waiting } = view;
  const label = (name: string) => (number === null ? name : `${name} of tail ${number}`);
  return (
    <section className={classes.pane} aria-label={label('Messages')}>
      <QueryRow {...props} label={label('Query')} />
      <MeterRow meter={meter} />
      <div className={classes.stream}>
        {lines.length === 0 || view.connection.kind === 'refused' ? (
          <Faces
            view={view}
            query={query}
            searchLink={searchLink(query, logspaces)}
            onRetry={() => tail.retry()}
          />
        ) : (
          <Stream
            label={label('Messages')}
            lines={lines}
            marks={marks}
            following={following && !paused}
            isSlow={!paused && meter.matched !== null && meter.matched <= SLOW_PER_SECOND}
            onFollow={onFollow}
            linkTo={(message) => messageLink(query, logspaces, message)}
            onFilter={(field, value, exclude) => onQuery(withClause(query, field, value, exclude))}
          />
        )}
        {waiting > 0 && (
          <Button
            className={classes.pill ?? ''}
            radius="xl"
            rightSection={<IconArrowDown size={14} aria-hidden />}
            onClick={props.onResume}
          >
            {formatCount(waiting)} new
          </Button>
        )}
      </div>
      <StateLine view={view} paused={paused} onRetry={() => tail.retry()} />
    </section>
  );
}

type QueryRowProps = Pick<Props, 'query' | 'number' | 'onQuery' | 'onClose'> & { label: string };

function QueryRow({ query, number, label, onQuery, onClose }: QueryRowProps) {
  const [text, setText] = useState(query);
  const [known, setKnown] = useState(query);
  const field = useRef<HTMLTextAreaElement>(null);
  // A query that came by the address or a click takes the place of what was written.
  if (known !== query) {
    setKnown(query);
    setText(query);
  }
  useKeys(number === null || number === 1 ? { '/': () => field.current?.select() } : {});
  const run = () => onQuery(text.trim());
  return (
    <div className={classes.query} role="search" aria-label={label}>
      <QueryField ref={field} label={label} value={text} onChange={setText} onRun={run} />
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
