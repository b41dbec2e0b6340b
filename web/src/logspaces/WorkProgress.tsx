/** How far the work on a logspace is. */
import type { Work } from '../api/logspaces';
import { formatPart } from '../ui/number';
import classes from './Logspaces.module.css';

export function WorkProgress({ work }: { work: Work }) {
  const { logspace, kind, done_bytes, of_bytes } = work;
  const what =
    kind === 'verify'
      ? `All that ${logspace} holds is read and compared with its checksums`
      : `The indexes of ${logspace} are rebuilt from its messages`;
  return (
    <div>
      <p role="status">{what}. You can go on; it ends when the console that began it is closed.</p>
      <div className={classes.work}>
        <progress
          value={done_bytes}
          max={Math.max(of_bytes, 1)}
          aria-label={`Progress of ${logspace}`}
        />
        <span className="dimmed">{formatPart(done_bytes, of_bytes)}</span>
      </div>
    </div>
  );
}
