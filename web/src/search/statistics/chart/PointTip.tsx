/** The box with the values of the point under the pointer. Never in the pointer's way. */
import type { Zone } from '../../../ui/time';
import type { Plot } from '../pivot';
import { Swatch } from './Legend';
import { type Writers, pointName, readingsAt, totalAt } from './pointText';
import classes from './Chart.module.css';

type Props = {
  plot: Plot;
  point: number;
  write: Writers;
  zone: Zone;
  x: number;
  y: number;
  width: number;
};

export function PointTip({ plot, point, write, zone, x, y, width }: Props) {
  const readings = readingsAt(plot, point, write);
  const total = totalAt(plot, point, write);
  const side = x > width / 2 ? { right: width - x + 12 } : { left: x + 12 };
  return (
    <div className={classes.reading} style={{ top: y, ...side }} aria-hidden>
      <div className="breakAnywhere bold">{pointName(plot, point, zone)}</div>
      {readings.map(({ name, tone, text }) => (
        <div key={name} className={classes.readingRow}>
          <Swatch tone={tone} />
          <span className="truncate">{name}</span>
          <span className={classes.readingValue}>{text}</span>
        </div>
      ))}
      {readings.length === 0 && <div className="dimmed">No messages</div>}
      {total !== null && (
        <div className={classes.readingRow} data-total>
          <span />
          <span className="truncate">Total</span>
          <span className={classes.readingValue}>{total}</span>
        </div>
      )}
    </div>
  );
}
