/** The logspace of a message: its name, and a colour that is the same in all lists. */
import { cutMiddle } from './rowLayout';
import classes from './Logspace.module.css';

const COLOURS = 6;

type Props = {
  id: string;
  ch: number;
  /** The logspace of the original, for a copy. */
  copyOf?: string;
};

export function Logspace({ id, ch, copyOf = '' }: Props) {
  return (
    <span
      className={classes.logspace}
      data-field="logspace"
      data-value={id}
      title={copyOf === '' ? id : `${id}, a copy of what ${copyOf} has`}
    >
      <span
        className={classes.square}
        data-colour={colourOf(id)}
        data-copy={copyOf !== ''}
        aria-hidden
      />
      {cutMiddle(id, ch)}
    </span>
  );
}

function colourOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return sum % COLOURS;
}
