/** Says in the head of the list how many messages have come since, and takes them in. Never over a row. */
import { IconArrowUp } from '@tabler/icons-react';
import { formatCount } from '../../ui/number';
import classes from './Newer.module.css';

type Props = { count: number; onTakeIn: () => void };

export function Newer({ count, onTakeIn }: Props) {
  return (
    <button type="button" className={classes.newer} title="Show them (Home)" onClick={onTakeIn}>
      <IconArrowUp size={12} aria-hidden />
      {formatCount(count)} new
    </button>
  );
}
