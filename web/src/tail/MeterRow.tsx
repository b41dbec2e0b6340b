/** How much matches and how much arrives, now and in the last minutes. */
import { formatRate } from '../ui/number';
import { Chart } from './Chart';
import type { Tail } from './tail';
import { useTailView } from './useTail';
import classes from './MeterRow.module.css';

export function MeterRow({ tail }: { tail: Tail }) {
  const meter = useTailView(tail, (view) => view.meter);
  return (
    <div className={classes.row}>
      <dl className={classes.rates}>
        <Rate name="matched" perSecond={meter.matched} />
        <Rate name="received" perSecond={meter.received} />
      </dl>
      <Chart seconds={meter.seconds} />
    </div>
  );
}

function Rate({ name, perSecond }: { name: string; perSecond: number | null }) {
  return (
    <div className={classes.rate}>
      <dt>{name}/s</dt>
      <dd>{perSecond === null ? '–' : formatRate(perSecond)}</dd>
    </div>
  );
}
