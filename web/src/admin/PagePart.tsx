/** A part of the page: its heading, and what it shows, or that this is loading, or why it failed. */
import type { ReactNode } from 'react';
import { PartLoadError } from '../ui/PartLoadError';
import { Skeleton } from '@mantine/core';
import classes from './Admin.module.css';

type Props = {
  label: string;
  /** The heading, if it says more than the label. */
  title?: string;
  /** Beside the heading. */
  note?: ReactNode;
  /** At the end of the heading. */
  tools?: ReactNode;
  isLoading?: boolean;
  error?: Error | null;
  onRetry?: () => void;
  children: ReactNode;
};

export function PagePart(props: Props) {
  const { label, title = label, note, tools, isLoading = false, error = null, children } = props;
  return (
    <section className={classes.box} aria-label={label}>
      <div className={classes.boxHead}>
        <h2>{title}</h2>
        {note !== undefined && <span className="dimmed">{note}</span>}
        {tools !== undefined && <div className="flex gap8 toEnd">{tools}</div>}
      </div>
      {error !== null && (
        <div className={classes.none}>
          <PartLoadError what={label} error={error} onRetry={() => props.onRetry?.()} />
        </div>
      )}
      {isLoading && error === null && <Loading rows={4} />}
      {children}
    </section>
  );
}

/** Rows that are on their way. */
export function Loading({ rows }: { rows: number }) {
  return (
    <div className={classes.loading} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <Skeleton key={at} height={24} mt={12} />
      ))}
    </div>
  );
}
