/** How much each target gets now, and would get with the draft. */
import { formatBytes, formatCount } from '../../ui/number';
import { outcomeText } from './outcome';
import type { TargetReport } from './wire';
import classes from './Testing.module.css';

type Props = {
  targets: readonly TargetReport[];
  /** How long the messages took to come; null where that means nothing. */
  days: number | null;
};

export function Volumes({ targets, days }: Props) {
  const most = Math.max(
    1,
    ...targets.flatMap(({ before, after }) => [before.messages, after.messages]),
  );
  const bar = (messages: number) => ({ width: `${(100 * messages) / most}%` });
  return (
    <section className={classes.table} tabIndex={0} aria-label="Volume per target">
      <table>
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">Now</th>
            <th scope="col">Draft</th>
            <td className={classes.wide} />
            <th scope="col">{days === null ? 'Bytes now' : 'Now a day'}</th>
            <th scope="col">{days === null ? 'Bytes draft' : 'Draft a day'}</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {targets.map(({ target, before, after }) => (
            <tr key={target}>
              <th scope="row">{outcomeText([target])}</th>
              <td>{formatCount(before.messages)}</td>
              <td>{formatCount(after.messages)}</td>
              <td className={classes.wide} aria-hidden="true">
                <span className={classes.bar} data-now="true" style={bar(before.messages)} />
                <span className={classes.bar} style={bar(after.messages)} />
              </td>
              <td>{formatBytes(Math.round(before.bytes / (days ?? 1)))}</td>
              <td>{formatBytes(Math.round(after.bytes / (days ?? 1)))}</td>
              <td>{changeText(before.bytes, after.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function changeText(before: number, after: number): string {
  if (before === after) return 'same';
  if (before === 0) return 'new';
  const percent = Math.round((100 * (after - before)) / before);
  if (percent === 0) return after > before ? '< +1 %' : '> −1 %';
  return percent > 0 ? `+${percent} %` : `−${-percent} %`;
}
