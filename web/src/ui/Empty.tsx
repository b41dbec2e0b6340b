/** Shown if there is nothing here: the reason, and what to do next. */
import type { ReactNode } from 'react';
import classes from './Empty.module.css';

type Props = {
  title: string;
  /** Whether there is nothing else on the page, so that the title is that of the page. */
  isPage?: boolean;
  children?: ReactNode;
};

export function Empty({ title, isPage = false, children }: Props) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <section className={classes.empty}>
      <Heading className="text16 line24 bold">{title}</Heading>
      {children}
    </section>
  );
}
