/** Shows how many messages a row stands for, and expands them. */
import { formatCount } from '../number';
import classes from './Repeats.module.css';

export type Fold = {
  /** The number of messages that the row stands for, including its own. */
  times: number;
  isExpanded: boolean;
};

export function Repeats({ fold: { times, isExpanded } }: { fold: Fold }) {
  if (times === 1) return null;
  // The list, which knows these messages, recognises a click by `data-fold`.
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classes.repeats}
      data-fold
      aria-expanded={isExpanded}
      aria-label={`${formatCount(times)} messages of this kind`}
      title={isExpanded ? 'Fold them (f)' : 'Show all of them (f)'}
    >
      ×{formatCount(times)}
    </button>
  );
}
