/**
 * The messages before and after a message: those of the same sender, those with the same value of
 * any field, or all.
 */
import { Button, Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Message } from '../../api/model';
import { Failure, Notice } from '../../ui/Notice';
import { SelectField, TextField } from '../../ui/Fields';
import { SeverityBar } from '../../ui/Severity';
import type { Hits } from '../../ui/highlight';
import { SmartText } from '../../ui/message/SmartText';
import { fieldGroups, valuesOf } from '../../ui/message/fields';
import { cut } from '../../ui/message/text';
import { formatOffset } from '../../ui/message/times';
import { useHits } from '../../ui/query/useReading';
import { formatTime, useZone } from '../../ui/time';
import { CONTEXT_STEP, contextOf, contextQuery } from './contextQuery';
import { useBrowserState } from '../../ui/useBrowserState';
import classes from './ContextTab.module.css';

const TYPING_MS = 300;

type Props = { message: Message; hits: Hits; onOpen: (id: string) => void };

export function ContextTab({ message, hits, onOpen }: Props) {
  const [wanted, setWanted] = useBrowserState({
    key: 'logstead-context',
    defaultValue: 'host',
  });
  const choices = useMemo(() => choicesOf(message), [message]);
  const chosen = choices.find(({ value }) => value === wanted) ?? choices[0];
  const [filter, setFilter] = useState('');
  const [query] = useDebouncedValue(filter, TYPING_MS);
  const own = useHits(query);
  const same = (chosen?.value ?? '').split(',').filter((field) => field !== '');
  return (
    <>
      <div className={classes.tools}>
        <SelectField
          aria-label="Around it"
          value={chosen?.value ?? ''}
          data={choices}
          onChange={setWanted}
        />
        <TextField
          size="xs"
          aria-label="Filter the context"
          placeholder="Filter, as in the query"
          value={filter}
          onChange={setFilter}
        />
      </div>
      <ContextList
        key={`${same.join()} ${query}`}
        message={message}
        same={same}
        query={query}
        hits={query.trim() === '' ? hits : own}
        onOpen={onOpen}
      />
    </>
  );
}

/** A context can only be that of a value that the message has. */
function choicesOf(message: Message): { value: string; label: string }[] {
  const own = fieldGroups(message)
    .flatMap(({ rows }) => rows)
    .filter(({ kind, field }) => kind === 'filter' && field !== 'host' && field !== 'flag');
  const names = [...new Set(own.map(({ field }) => field))];
  const label = (field: string) =>
    `Same ${field}: ${cut(valuesOf(message, field).join(', '), 40).text}`;
  return [
    ...(message.host === '' ? [] : [{ value: 'host', label: label('host') }]),
    ...(message.host === '' || message.program === ''
      ? []
      : [{ value: 'host,program', label: 'Same host and program' }]),
    { value: '', label: `Everything in ${message.logspace}` },
    ...names
      .filter((field) => field !== 'logspace')
      .map((field) => ({ value: field, label: label(field) })),
  ];
}

type ListProps = Props & { same: readonly string[]; query: string };

function ContextList({ message, same, query, hits, onOpen }: ListProps) {
  const context = useInfiniteQuery(contextQuery(message.id, { same, query }));
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(
    () => contextOf(context.data?.pages ?? [], message.id),
    [context.data, message.id],
  );
  useKeptPlace(scroller, rows, message.id);
  if (context.error !== null && rows.length === 0) {
    return (
      <div className="pad12x16">
        <Notice tone="error" title={context.error.message} onRetry={() => void context.refetch()} />
      </div>
    );
  }
  if (rows.length === 0) return <ContextLoading />;
  return (
    <div ref={scroller} className={classes.list}>
      <End
        what="earlier"
        more={context.hasPreviousPage}
        loading={context.isFetchingPreviousPage}
        onMore={() => void context.fetchPreviousPage()}
      />
      <ol aria-label="Messages around it, oldest first">
        {rows.map((row) => (
          <ContextRow
            key={row.id}
            message={row}
            anchor={message}
            same={same}
            hits={hits}
            onOpen={onOpen}
          />
        ))}
      </ol>
      <End
        what="later"
        more={context.hasNextPage}
        loading={context.isFetchingNextPage}
        onMore={() => void context.fetchNextPage()}
      />
      <Failure error={context.error} />
    </div>
  );
}

type RowProps = Pick<ListProps, 'message' | 'same' | 'hits' | 'onOpen'> & { anchor: Message };

function ContextRow({ message, anchor, same, hits, onOpen }: RowProps) {
  const [zone] = useZone();
  const isAnchor = message.id === anchor.id;
  return (
    <li className={classes.row} data-anchor={isAnchor} aria-current={isAnchor ? 'true' : undefined}>
      <SeverityBar message={message} />
      <button
        type="button"
        className={classes.open}
        disabled={isAnchor}
        onClick={() => onOpen(message.id)}
        aria-label={`Open the message of ${formatTime(message.time, zone)}`}
        title={formatTime(message.time, zone)}
      >
        {isAnchor ? 'this one' : formatOffset(message.time, anchor.time)}
      </button>
      <span className={classes.text}>
        {!same.includes('host') && <span className="dimmed">{message.host} </span>}
        {!same.includes('program') && <span className="dimmed">{message.program}: </span>}
        <SmartText message={message} hits={hits} wrap />
      </span>
    </li>
  );
}

type EndProps = { what: 'earlier' | 'later'; more: boolean; loading: boolean; onMore: () => void };

function End({ what, more, loading, onMore }: EndProps) {
  return (
    <div className={classes.end}>
      {more ? (
        <Button loading={loading} onClick={onMore}>
          {CONTEXT_STEP} {what}
        </Button>
      ) : (
        <span className="dimmed">Nothing {what}</span>
      )}
    </div>
  );
}

function ContextLoading() {
  return (
    <div className={classes.list} role="status" aria-label="Loading the context">
      {Array.from({ length: 12 }, (_, row) => (
        <Skeleton key={row} height={12} mx={16} my={12} width={`${60 + ((row * 37) % 36)}%`} />
      ))}
    </div>
  );
}

/**
 * Shows the message in the middle at first; later, rows in view stay in place when others are added
 * above.
 */
function useKeptPlace(
  scroller: { current: HTMLDivElement | null },
  rows: readonly Message[],
  id: string,
) {
  const before = useRef<{ first: string | undefined; height: number } | null>(null);
  const first = rows[0]?.id;
  useLayoutEffect(() => {
    const list = scroller.current;
    if (list === null || first === undefined) return;
    const last = before.current;
    before.current = { first, height: list.scrollHeight };
    if (last === null) {
      const anchor = list.querySelector<HTMLElement>('[data-anchor="true"]');
      list.scrollTo(0, (anchor?.offsetTop ?? 0) - list.clientHeight / 2);
    } else if (last.first !== first) {
      list.scrollBy(0, list.scrollHeight - last.height);
    }
  }, [scroller, rows, first, id]);
}
