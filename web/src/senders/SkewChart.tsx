/** The differences between the times in a sender's last messages and their arrival, as bars with words. */
import type { SkewBin } from '../api/model';
import { formatCount } from '../ui/number';
import { binText } from './skew';
import classes from './Panel.module.css';

export function SkewChart({ bins }: { bins: readonly SkewBin[] }) {
  const highest = Math.max(...bins.map(({ messages }) => messages), 1);
  return (
    <table className={classes.skew}>
      <thead className="unseen">
        <tr>
          <th scope="col">Distance</th>
          <th scope="col">Share</th>
          <th scope="col">Messages</th>
        </tr>
      </thead>
      <tbody>
        {bins.map((bin) => (
          <tr key={String(bin.from_ms)}>
            <th scope="row">{binText(bin)}</th>
            <td className={classes.track}>
              <span
                className={classes.bar}
                style={{ width: `${Math.max((bin.messages / highest) * 100, 0.5)}%` }}
              />
            </td>
            <td>{formatCount(bin.messages)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
