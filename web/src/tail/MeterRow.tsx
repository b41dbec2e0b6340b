/** The rates of matches and of arrivals, now and in the last minutes. */
import { formatRate } from '../ui/number';
import { Chart } from './Chart';
import { matchingText } from './idle';
import type { Tail } from './tail';
import { useTailView } from './useTail';
import classes from './MeterRow.module.css';

export function MeterRow({ tail }: { tail: Tail }) {
  const meter = useTailView(tail, (view) => view.meter);
  return (
    <div className={classes.row}>
      <dl className={classes.rates}>
        <Rate name="matching" text={matchingText(meter)} isPart={meter.shown !== null} />
        <Rate
          name="received"
          text={meter.received === null ? '–' : `${formatRate(meter.received)}/s`}
        />
      </dl>
      <Chart seconds={meter.seconds} />
    </div>
  );
}

type RateProps = { name: string; text: string; isPart?: boolean };

function Rate({ name, text, isPart = false }: RateProps) {
  const title = 'More match than are sent here. All are stored, and Search finds them.';
  return (
    <div className={classes.rate} {...(isPart && { title })}>
      <dt>{name}</dt>
      <dd data-part={isPart}>{text}</dd>
    </div>
  );
}
