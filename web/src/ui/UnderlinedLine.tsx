/**
 * One line of a text, with the part that a problem refers to underlined. Columns count characters
 * from 1.
 */
import classes from './UnderlinedLine.module.css';

type Props = { text: string; line: number; column: number; endColumn?: number | undefined };

export function UnderlinedLine({ text, line, column, endColumn }: Props) {
  const characters = Array.from(text.split('\n')[line - 1] ?? '');
  const start = Math.min(column - 1, characters.length);
  const end = Math.max(endColumn === undefined ? start + 1 : endColumn - 1, start + 1);
  // At the end of the line there is no character to underline, so a space marks the position.
  const marked = characters.slice(start, end).join('') || '\u00a0';
  return (
    <code
      className="block padY4 scrollX pre mono line20"
      aria-label={`Line ${line}, column ${column}: ${marked}`}
      role="img"
    >
      {characters.slice(0, start).join('')}
      <span className={classes.marked}>{marked}</span>
      {characters.slice(end).join('')}
    </code>
  );
}
