/** The line below a tail: whether it is live, what it leaves out, and why nothing may be coming. */
import { UnstyledButton } from '@mantine/core';
import { formatCount } from '../ui/number';
import { useZone } from '../ui/time';
import { LINES_MAX } from './buffer';
import { idleText, stateText } from './idle';
import type { Tail } from './tail';
import { useTailView } from './useTail';
import classes from './StateLine.module.css';

type Props = { tail: Tail; paused: boolean };

export function StateLine({ tail, paused }: Props) {
  const connection = useTailView(tail, (view) => view.connection);
  const meter = useTailView(tail, (view) => view.meter);
  const [zone] = useZone();
  const idle = paused ? null : idleText(meter, zone);
  return (
    <div className={classes.line}>
      <span className={classes.state} data-kind={paused ? 'paused' : connection.kind}>
        <span className={classes.dot} aria-hidden />
        {stateText(connection, paused, meter.now)}
      </span>
      {connection.kind === 'waiting' && (
        <UnstyledButton className={classes.retry} onClick={() => tail.retry()}>
          Retry now
        </UnstyledButton>
      )}
      {idle !== null && <span className="ellipsis">{idle}</span>}
      <Kept tail={tail} />
    </div>
  );
}

function Kept({ tail }: { tail: Tail }) {
  const fellOut = useTailView(tail, (view) => view.fellOut);
  if (fellOut === 0) return null;
  return (
    <span className="toEnd ellipsis">
      Showing the newest {formatCount(LINES_MAX)}; {formatCount(fellOut)} older are in Search
    </span>
  );
}
