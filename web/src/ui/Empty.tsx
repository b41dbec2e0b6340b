/** The face of "there is nothing here": why, and what to do next. */
import type { ReactNode } from 'react';
import classes from './Empty.module.css';

type Props = {
  title: string;
  /** If nothing else is on the page, the title is the page's. */
  isPage?: boolean;
  children?: ReactNode;
};

export function Empty({ title, isPage = false, children }: Props) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <section className={classes.empty}>
      <Heading className={classes.title}>{title}</Heading>
      {children}
    </section>
  );
}
