/** How usual a value is, as a bar that opens the values of its field. */
import { type Share, shareText } from './shares';
import classes from './Shares.module.css';

type Props = { field: string; share: Share | null; isOpen: boolean; onToggle: () => void };

export function ShareBar({ field, share, isOpen, onToggle }: Props) {
  const text = share === null ? '–' : shareText(share);
  return (
    <button
      type="button"
      className={classes.share}
      aria-expanded={isOpen}
      aria-label={`Values of ${field}: this one ${text}`}
      title={`Values of ${field}`}
      onClick={onToggle}
    >
      <span className={classes.track}>
        <span style={{ width: `${(share?.part ?? 0) * 100}%` }} />
      </span>
      <span className={classes.percent}>{text}</span>
    </button>
  );
}
