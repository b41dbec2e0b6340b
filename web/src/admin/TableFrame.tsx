/** Around a table: it scrolls sideways, also by keyboard, and its links open within the page. */
import type { ReactNode } from 'react';
import { follow, useOpen } from '../ui/open';
import classes from './Admin.module.css';

type Props = { label: string; className?: string | undefined; children: ReactNode };

export function TableFrame({ label, className = '', children }: Props) {
  const open = useOpen();
  return (
    <div
      className={`${classes.scroll} ${className}`}
      tabIndex={0}
      role="group"
      aria-label={label}
      onClick={(event) => follow(event, open)}
    >
      <table>{children}</table>
    </div>
  );
}
