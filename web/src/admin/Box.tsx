/** A part of the page: its heading, and what it shows, or that this is loading, or why it failed. */
import type { ReactNode } from 'react';
import { Failed } from '../ui/Failed';
import { Loading } from './Loading';
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

export function Box(props: Props) {
  const { label, title = label, note, tools, isLoading = false, error = null, children } = props;
  return (
    <section className={classes.box} aria-label={label}>
      <div className={classes.boxHead}>
        <h2>{title}</h2>
        {note !== undefined && <span className="dimmed">{note}</span>}
        {tools !== undefined && <div className={classes.boxTools}>{tools}</div>}
      </div>
      {error !== null && (
        <div className={classes.none}>
          <Failed what={label} error={error} onRetry={() => props.onRetry?.()} />
        </div>
      )}
      {isLoading && error === null && <Loading rows={4} />}
      {children}
    </section>
  );
}
