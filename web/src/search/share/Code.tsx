/** A command of several lines, for reading and copying. */
import { Copy } from '../../ui/Copy';
import classes from './Share.module.css';

export function Code({ label, text }: { label: string; text: string }) {
  return (
    <div className="relative">
      <pre className={classes.code} tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <span className={classes.codeCopy}>
        <Copy what={label} text={text} />
      </span>
    </div>
  );
}
