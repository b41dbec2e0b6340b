/** The ledger, a line for each source: where all that it received is. */
import type { LedgerCounts, LedgerRow } from '../api/model';
import type { Counts } from './reasons';
import type { TimeRange } from '../ui/range';
import { formatBytes } from '../ui/number';
import { NOT_UNDERSTOOD, skippedAbout, skippedName, skippedParts, skippedSum } from '../ui/skipped';
import { Figure, type FigurePart, FigureParts, Remainder } from './Figure';
import { countersHref, reasonHref, searchHref, skippedHref } from './links';
import { happened, reasonOf, sumOf } from './reasons';
import classes from './Flow.module.css';

type Props = {
  rows: readonly LedgerRow[];
  total: LedgerCounts;
  range: TimeRange;
  /** A search for what came in through each source, once the server has written it. */
  queries: ReadonlyMap<string, string>;
};

const heads = [
  'Received',
  'Stored',
  'Forwarded only',
  'Dropped',
  'Unacknowledged',
  'In flight',
  'Remainder',
  'Lost before us',
  'In no message',
];

export function SourceTable({ rows, total, range, queries }: Props) {
  return (
    <section className={classes.table} tabIndex={0} aria-label="Sources">
      <h2>
        Sources <span className="meta regular dimmed">what became of what they received</span>
      </h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Source</th>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.source}>
              <th scope="row">{row.source}</th>
              <Cells counts={row} range={range} query={queries.get(row.source)} of={row.source} />
            </tr>
          ))}
        </tbody>
        {rows.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              <Cells counts={total} range={range} query="" of="all sources" />
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

type CellsProps = {
  counts: LedgerCounts;
  range: TimeRange;
  /** Undefined as long as it is not known. */
  query: string | undefined;
  of: string;
};

function Cells({ counts, range, query, of }: CellsProps) {
  const search = (logspace?: string) =>
    query === undefined ? undefined : searchHref(query, range, logspace);
  return (
    <>
      <td>
        <Figure count={counts.received} href={search()} label={`received through ${of}`} />
      </td>
      <td>
        <Figure count={counts.stored} href={search()} label={`of ${of} stored`} />
        <FigureParts parts={placesOf(counts.stored_in, search)} />
      </td>
      <td>
        <Figure count={counts.forwarded} href={countersHref} label={`of ${of} forwarded only`} />
        <FigureParts parts={placesOf(counts.forwarded_to, () => countersHref)} />
      </td>
      <td>
        <Figure count={sumOf(counts.dropped)} />
        <FigureParts parts={reasonParts(counts.dropped)} />
      </td>
      <td title="Lost with the process before anyone was told that they are safe.">
        <Figure count={counts.unacknowledged} />
      </td>
      <td>
        <Figure count={counts.in_flight} />
      </td>
      <td>
        <Remainder remainder={counts.remainder} />
      </td>
      <td>
        <Figure count={sumOf(counts.lost_before)} />
        <FigureParts parts={reasonParts(counts.lost_before)} />
      </td>
      <td>
        <Skipped bytes={counts.skipped_bytes} />
      </td>
    </>
  );
}

function Skipped({ bytes }: { bytes: Counts }) {
  const sum = skippedSum(bytes);
  if (sum === 0) return <span className="dimmed">0</span>;
  const parts = skippedParts(bytes);
  return (
    <>
      <a className={classes.figure} href={skippedHref}>
        {formatBytes(sum)}
      </a>
      <ul className={classes.parts}>
        {parts.map(([reason, count]) => (
          <li key={reason} title={skippedAbout(reason)} data-loss={reason === NOT_UNDERSTOOD}>
            {parts.length > 1 && `${formatBytes(count)} `}
            {skippedName(reason)}
          </li>
        ))}
      </ul>
    </>
  );
}

function placesOf(counts: Counts, hrefOf: (id: string) => string | undefined): FigurePart[] {
  return happened(counts).map(([name, count]) => {
    const href = hrefOf(name);
    return { name, count, ...(href !== undefined && { href }) };
  });
}

export function reasonParts(counts: Counts): FigurePart[] {
  return happened(counts).map(([reason, count]) => {
    const { name, about, isLoss } = reasonOf(reason);
    return { name, count, href: reasonHref(reason), title: about, isLoss };
  });
}
