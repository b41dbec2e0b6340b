/** The figures of the last day, each with the way to what makes it. */
import { useQuery } from '@tanstack/react-query';
import { diskQuery } from '../api/disk';
import type { Ledger, RouterStatus } from '../api/model';
import { ingestRate, storedBytes, unsealedMessages } from '../api/status';
import { Trend } from '../ui/chart/Trend';
import { formatBytes, formatCount, formatPart, formatRate, formatShort } from '../ui/number';
import { NOT_UNDERSTOOD, skippedSum, skippedText } from '../ui/skipped';
import classes from './Overview.module.css';
import { address } from '../ui/open';

type Props = { status: RouterStatus; flow: Ledger };

export function DayFigures({ status, flow }: Props) {
  const { total, series } = flow;
  const dropped = sum(Object.values(total.dropped));
  const lost = total.unacknowledged + sum(Object.values(total.lost_before));
  const skipped = skippedSum(total.skipped_bytes);
  const unparsed = sum(status.sources.map((source) => source.unparsed));
  const behind = unsealedMessages(status);
  const { data: disk } = useQuery(diskQuery);
  const used =
    disk == null
      ? ''
      : `, ${formatPart(disk.totalBytes - disk.freeBytes, disk.totalBytes)} of the disk used`;
  return (
    <section className={classes.figures} aria-label="The last 24 hours">
      <Figure
        name="Received"
        value={formatRate(ingestRate(status))}
        unit="/s"
        about={`${formatShort(total.received)} in 24 h`}
        counts={series.map(({ received }) => received)}
        href={address('/search', { q: '*', from: '-24h' })}
      />
      <Figure
        name="Stored"
        value={formatBytes(storedBytes(status))}
        about={`${behind === 0 ? 'all indexed' : `${formatShort(behind)} not sealed yet`}${used}`}
        counts={series.map(({ stored }) => stored)}
        href={address('/logspaces')}
      />
      <Figure
        name="Dropped"
        value={formatShort(dropped)}
        about={dropped === 0 ? 'in 24 h' : 'in 24 h, by rules or for want of room'}
        counts={series.map((point) => sum(Object.values(point.dropped)))}
        href={address('/flow', { from: '-24h' })}
      />
      <Figure
        name="Lost before us"
        value={formatCount(lost)}
        about={lost === 0 ? 'nothing in 24 h' : 'in 24 h: see where'}
        counts={[]}
        isBad={lost > 0}
        href={address('/flow', { from: '-24h' })}
      />
      <Figure
        name="In no message"
        value={formatBytes(skipped)}
        about={skipped === 0 ? 'nothing in 24 h' : `in 24 h: ${skippedText(total.skipped_bytes)}`}
        counts={[]}
        isBad={(total.skipped_bytes[NOT_UNDERSTOOD] ?? 0) > 0}
        href={address('/flow', { from: '-24h' })}
      />
      <Figure
        name="Not recognised"
        value={formatShort(unparsed)}
        about="since the server started"
        counts={[]}
        href={address('/senders', { show: 'unparsed' })}
      />
    </section>
  );
}

type FigureProps = {
  name: string;
  value: string;
  unit?: string;
  about: string;
  counts: readonly number[];
  isBad?: boolean;
  href: string;
};

function Figure({ name, value, unit = '', about, counts, isBad = false, href }: FigureProps) {
  return (
    <a className={classes.figure} href={href} data-bad={isBad}>
      <span className="meta bold">{name}</span>
      <span className={classes.value}>
        {value}
        <small>{unit}</small>
      </span>
      <span className="meta dimmed">{about}</span>
      {counts.length > 1 && <Trend counts={counts} />}
    </a>
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
