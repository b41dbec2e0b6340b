/** The face of "there is nothing here": why, and what to do next. */
import type { ReactNode } from 'react';
import classes from './Empty.module.css';

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className={classes.empty}>
      <h2 className={classes.title}>{title}</h2>
      {children}
    </section>
  );
}
