/** A number that leads to what stands behind it, and what it is made of. */
import { createContext, useContext } from 'react';
import { formatCount } from '../ui/number';
import classes from './Flow.module.css';

type Props = {
  count: number;
  href?: string | undefined;
  /** The target of the link, for those who cannot see its surroundings. */
  label?: string | undefined;
};

export function Figure({ count, href, label }: Props) {
  const text = formatCount(count);
  if (count === 0) return <span className="dimmed">0</span>;
  if (href === undefined) return <>{text}</>;
  return (
    <a className={classes.figure} href={href} aria-label={label && `${text} ${label}`}>
      {text}
    </a>
  );
}

export type FigurePart = {
  name: string;
  count: number;
  href?: string;
  title?: string;
  isLoss?: boolean;
};

/** One part needs no number of its own: it is the sum that stands above. */
export function FigureParts({ parts }: { parts: readonly FigurePart[] }) {
  if (parts.length === 0) return null;
  return (
    <ul className={classes.parts}>
      {parts.map(({ name, count, href, title, isLoss = false }) => (
        <li key={name} title={title} data-loss={isLoss}>
          {href === undefined ? name : <a href={href}>{name}</a>}
          {parts.length > 1 && ` ${formatCount(count)}`}
        </li>
      ))}
    </ul>
  );
}

/** Whether the figures of the page are those of now. */
export const IsKnown = createContext(true);

/** Quiet where it is as it has to be, loud where it is not. */
export function Remainder({ remainder }: { remainder: number }) {
  const isKnown = useContext(IsKnown);
  if (!isKnown) return <span className="good">not known</span>;
  if (remainder === 0) return <span className="good">balanced</span>;
  const sign = remainder < 0 ? '\u2212' : '';
  return (
    <strong
      className={classes.wrong}
      title="The counts do not add up. This is a fault of the server."
    >
      {sign}
      {formatCount(Math.abs(remainder))} not accounted for
    </strong>
  );
}
