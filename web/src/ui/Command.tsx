/** A command to copy into a terminal. */
import { Copy } from './Copy';
import classes from './Command.module.css';

export function Command({ label, text }: { label: string; text: string }) {
  return (
    <div className={classes.command}>
      <code className={classes.text} tabIndex={0} role="textbox" aria-readonly aria-label={label}>
        {text}
      </code>
      <Copy what={label} text={text} />
    </div>
  );
}
