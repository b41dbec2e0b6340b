/** Says how many messages a row stands for, and shows them. */
import { formatCount } from '../number';
import classes from './Repeats.module.css';

export type Fold = {
  /** The messages behind a row, its own included. */
  times: number;
  isExpanded: boolean;
};

export function Repeats({ fold: { times, isExpanded } }: { fold: Fold }) {
  if (times === 1) return null;
  // The list, which knows what is behind it, tells by `data-fold` that it was clicked on.
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
