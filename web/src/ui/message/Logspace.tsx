/** Where a message is kept: its name, and a colour that is the same in all lists. */
import { cutMiddle } from './look';
import classes from './Logspace.module.css';

const COLOURS = 6;

type Props = {
  id: string;
  ch: number;
  /** Other logspaces that have the same message. */
  copies?: readonly string[] | undefined;
};

export function Logspace({ id, ch, copies = [] }: Props) {
  return (
    <span
      className={classes.logspace}
      data-field="logspace"
      data-value={id}
      title={[id, ...copies].join(', also in ')}
    >
      <span className={classes.square} data-colour={colourOf(id)} aria-hidden />
      {cutMiddle(id, ch)}
      {copies.length > 0 && <span className={classes.copies}>+{copies.length}</span>}
    </span>
  );
}

function colourOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return sum % COLOURS;
}
