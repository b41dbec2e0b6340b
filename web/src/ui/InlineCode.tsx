/** A sentence from the server, with the text between backticks shown as code. */
import classes from './InlineCode.module.css';

export function InlineCode({ text }: { text: string }) {
  // Every other part was between two backticks; if the last backtick is not closed, the part is text.
  const parts = text.split('`');
  const isWhole = parts.length % 2 === 1;
  return parts.map((part, at) => {
    if (at % 2 === 0) return part;
    if (!isWhole && at === parts.length - 1) return `\`${part}`;
    return (
      <code key={at} className={classes.code}>
        {part}
      </code>
    );
  });
}
