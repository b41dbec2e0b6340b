/** One answer: a figure, the rows that make it, and the way to all of them. */
import { Skeleton, UnstyledButton } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useIsAway } from '../../api/freshness';
import { KeyCaps } from '../../ui/KeyCaps';
import { Notice } from '../../ui/Notice';
import { formatCount } from '../../ui/number';
import type { Change } from './answers';
import { Spark } from '../../ui/chart/Spark';
import type { QueryEdit } from '../../api/model';
import type { SearchState } from '../searchParams';
import classes from './Blank.module.css';

export type Row = {
  name: string;
  count: number;
  counts: readonly number[];
  change: Change | null;
  onOpen: () => void;
};

type Props = {
  title: string;
  icon: ReactNode;
  keys: string;
  /** Undefined while it is asked for. */
  figure: string | undefined;
  says: string;
  error: Error | null;
  onRetry: () => void;
  /** The way to all of it, where there is any. */
  foot?: { text: string; onOpen: () => void } | undefined;
  children: ReactNode;
};

export function Card(props: Props) {
  const { title, icon, keys, figure, says, error, onRetry, foot, children } = props;
  const isAway = useIsAway();
  const id = useId();
  return (
    <section className="stack panel round10" aria-labelledby={id}>
      <header className={classes.head}>
        {icon}
        <h2 id={id}>{title}</h2>
        <KeyCaps keys={keys} />
      </header>
      {isAway && <p className={classes.says}>Not known until the server answers.</p>}
      {!isAway && error !== null && (
        <div className={classes.says}>
          <Notice tone="error" title={error.message} onRetry={onRetry} />
        </div>
      )}
      {!isAway && error === null && figure === undefined && (
        <div className={classes.says} role="status" aria-label={`Loading ${title}`}>
          <Skeleton className={classes.late ?? ''} height={28} width={220} />
        </div>
      )}
      {!isAway && error === null && figure !== undefined && (
        <p className={classes.says}>
          <b>{figure}</b> {says}
        </p>
      )}
      {!isAway && error === null && <div className={classes.rows}>{children}</div>}
      {foot !== undefined && (
        <UnstyledButton className={classes.foot} onClick={foot.onOpen}>
          {foot.text} <span aria-hidden>→</span>
        </UnstyledButton>
      )}
    </section>
  );
}

type RowProps = Row & { tone?: 'error' | 'info' };

export function CardRow({ name, count, counts, change, tone = 'info', onOpen }: RowProps) {
  return (
    <UnstyledButton className={classes.row} onClick={onOpen}>
      <span className="truncate" title={name}>
        {name === '' ? '(empty)' : name}
      </span>
      <span className="alignRight">{formatCount(count)}</span>
      <Spark counts={counts} tone={tone} />
      <span className={classes.change} data-tone={change?.tone ?? 'same'}>
        {change?.text}
      </span>
    </UnstyledButton>
  );
}

/** Asks for what the edits make of an empty query. */
export type Go = (...edits: readonly QueryEdit[]) => void;

export type AnswerProps = { state: SearchState; go: Go };

/** Rows of an answer, and of a list of searches. */
export const ROWS = 4;
