/** The senders of bytes that no message holds: nothing else would say that they came. */
import type { Senders, SkippedSender } from '../api/model';
import { Notice } from '../ui/Notice';
import { formatBytes } from '../ui/number';
import { address } from '../ui/open';
import { NOT_UNDERSTOOD } from '../ui/skipped';
import classes from './Senders.module.css';

/** The rest is in the panels of the senders. */
const ROWS = 3;

export function SkippedNotice({ skipped, skipped_left_out: leftOut }: Senders) {
  const rows = skipped
    .map((row) => ({ ...row, bytes: row.reasons[NOT_UNDERSTOOD] ?? 0 }))
    .filter(({ bytes }) => bytes > 0);
  if (rows.length === 0) return null;
  const more = rows.length - ROWS;
  return (
    <Notice tone="caution" title={titleOf(rows)}>
      <ul className={classes.skipped}>
        {rows.slice(0, ROWS).map(({ source, host, bytes }) => (
          <li key={`${source}/${host}`}>
            {formatBytes(bytes)} from <a href={address('/senders', { source, host })}>{host}</a>{' '}
            through {source}
          </li>
        ))}
        {more > 0 && <li>and from {more} more</li>}
        {leftOut > 0 && <li>and {formatBytes(leftOut)} of addresses that are not listed</li>}
      </ul>
      No message holds them: a sender may count its frames wrongly, or be no sender of logs.
    </Notice>
  );
}

function titleOf(rows: readonly SkippedSender[]): string {
  return `Not understood: ${formatBytes(rows.reduce((sum, { bytes }) => sum + bytes, 0))}`;
}
