/** The troubles of a sender, in words that carry their colour along. */
import type { Sender } from '../api/model';
import { troubleText, troublesOf } from './senders';
import classes from './Senders.module.css';

export function Troubles({ sender }: { sender: Sender }) {
  return (
    <span className={classes.troubles}>
      {troublesOf(sender).map((trouble) => (
        <span key={trouble} className={classes.trouble} data-trouble={trouble}>
          {troubleText(trouble, sender)}
        </span>
      ))}
    </span>
  );
}
