/** Keys as key caps, as on the user's keyboard. */
import { capsOf } from './keys';
import classes from './KeyCaps.module.css';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function KeyCaps({ keys }: { keys: string }) {
  return (
    <span className={classes.keys}>
      {capsOf(keys, isMac).map((press, at) => (
        <span key={at} className={classes.press}>
          {press.map((cap) => (
            <kbd key={cap} className={classes.cap}>
              {cap}
            </kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
