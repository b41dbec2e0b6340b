/** How much matches and how much arrives, now and in the last minutes. */
import { memo } from 'react';
import { formatRate } from '../ui/number';
import { Chart } from './Chart';
import type { Meter } from './tail';
import classes from './MeterRow.module.css';

export const MeterRow = memo(function MeterRow({ meter }: { meter: Meter }) {
  return (
    <div className={classes.row}>
      <dl className={classes.rates}>
        <Rate name="matched" perSecond={meter.matched} />
        <Rate name="received" perSecond={meter.received} />
      </dl>
      <Chart seconds={meter.seconds} />
    </div>
  );
});

function Rate({ name, perSecond }: { name: string; perSecond: number | null }) {
  return (
    <div className={classes.rate}>
      <dt>{name}/s</dt>
      <dd>{perSecond === null ? '–' : formatRate(perSecond)}</dd>
    </div>
  );
}
