/** The line below a tail: whether it is live, what it leaves out, and why nothing may be coming. */
import { UnstyledButton } from '@mantine/core';
import { formatCount } from '../ui/number';
import { useZone } from '../ui/time';
import { LINES_MAX } from './buffer';
import { idleText, sampledText, stateText } from './idle';
import type { TailView } from './tail';
import classes from './StateLine.module.css';

type Props = { view: TailView; paused: boolean; onRetry: () => void };

export function StateLine({ view, paused, onRetry }: Props) {
  const { connection, meter, fellOut } = view;
  const [zone] = useZone();
  const sampled = sampledText(meter);
  const idle = paused ? null : idleText(meter, zone);
  return (
    <div className={classes.line}>
      <span className={classes.state} data-kind={paused ? 'paused' : connection.kind}>
        <span className={classes.dot} aria-hidden />
        {stateText(connection, paused, meter.now)}
      </span>
      {connection.kind === 'waiting' && (
        <UnstyledButton className={classes.retry} onClick={onRetry}>
          Try now
        </UnstyledButton>
      )}
      {sampled !== null && <span className={classes.sampled}>{sampled}</span>}
      {idle !== null && <span className={classes.cut}>{idle}</span>}
      {fellOut > 0 && (
        <span className={classes.kept}>
          newest {formatCount(LINES_MAX)} kept here, {formatCount(fellOut)} older in Search
        </span>
      )}
    </div>
  );
}
