/** A sentence of the server, with what stands between backticks told apart from its words. */
import classes from './InlineCode.module.css';

export function InlineCode({ text }: { text: string }) {
  // Every other part stands between two backticks; a last one that is never closed is text.
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
