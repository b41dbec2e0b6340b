/** The ledger, one line for each source: where everything that it received is. */
import { createContext, useContext } from 'react';
import { Table } from '../ui/Table';
import type { LedgerCounts, LedgerDestination, LedgerRow } from '../api/model';
import { type Counts, happened, reasonOf, sumOf } from './reasons';
import type { TimeRange } from '../ui/range';
import { formatBytes, formatCount } from '../ui/number';
import { NOT_UNDERSTOOD, skippedAbout, skippedName, skippedParts, skippedSum } from '../ui/skipped';
import {
  countersHref,
  quarantineHref,
  queueHref,
  reasonHref,
  searchHref,
  skippedHref,
} from './links';
import classes from './Flow.module.css';

type Props = {
  rows: readonly LedgerRow[];
  total: LedgerCounts;
  range: TimeRange;
  /** A search for the messages received through each source, once the server has returned it. */
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
      <Table
        heads={['Source', ...heads]}
        foot={
          rows.length > 1 && (
            <tfoot>
              <tr>
                <th scope="row">Total</th>
                <Cells counts={total} range={range} query="" of="all sources" />
              </tr>
            </tfoot>
          )
        }
      >
        {rows.map((row) => (
          <tr key={row.source}>
            <th scope="row">{row.source}</th>
            <Cells counts={row} range={range} query={queries.get(row.source)} of={row.source} />
          </tr>
        ))}
      </Table>
    </section>
  );
}

type CellsProps = {
  counts: LedgerCounts;
  range: TimeRange;
  /** Undefined while it is not known. */
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

function reasonParts(counts: Counts): FigurePart[] {
  return happened(counts).map(([reason, count]) => {
    const { name, about, isLoss } = reasonOf(reason);
    return { name, count, href: reasonHref(reason), title: about, isLoss };
  });
}

const destinationHeads = [
  'Waited before',
  'Queued',
  'Delivered',
  'Quarantined',
  'Dropped',
  'Waiting',
  'Remainder',
];

/**
 * The queues during the range: the messages waiting before and those queued, and what became of
 * them.
 */
export function DestinationTable({ destinations }: { destinations: readonly LedgerDestination[] }) {
  return (
    <section className={classes.table} tabIndex={0} aria-label="Destinations">
      <h2>
        Destinations{' '}
        <span className="meta regular dimmed">their queues, with copies of what is stored</span>
      </h2>
      <Table heads={['Destination', ...destinationHeads]}>
        {destinations.map((destination) => (
          <Row key={destination.id} {...destination} />
        ))}
      </Table>
    </section>
  );
}

function Row(destination: LedgerDestination) {
  const { id, waiting_before, queued, delivered, quarantined, dropped, waiting } = destination;
  return (
    <tr>
      <th scope="row">{id}</th>
      <td>
        <Figure count={waiting_before} />
      </td>
      <td>
        <Figure count={queued} />
      </td>
      <td>
        <Figure count={delivered} href={countersHref} label={`delivered to ${id}`} />
      </td>
      <td>
        <Figure count={quarantined} href={quarantineHref(id)} label={`refused by ${id}`} />
      </td>
      <td>
        <Figure count={sumOf(dropped)} />
        <FigureParts parts={reasonParts(dropped)} />
      </td>
      <td>
        <Figure count={waiting} href={queueHref(id)} label={`waiting for ${id}`} />
      </td>
      <td>
        <Remainder remainder={destination.remainder} />
      </td>
    </tr>
  );
}

type FigureProps = {
  count: number;
  href?: string | undefined;
  /** The target of the link, for those who cannot see its surroundings. */
  label?: string | undefined;
};

/** A number with a link to the details behind it, and its parts. */
function Figure({ count, href, label }: FigureProps) {
  const text = formatCount(count);
  if (count === 0) return <span className="dimmed">0</span>;
  if (href === undefined) return <>{text}</>;
  return (
    <a className={classes.figure} href={href} aria-label={label && `${text} ${label}`}>
      {text}
    </a>
  );
}

type FigurePart = {
  name: string;
  count: number;
  href?: string;
  title?: string;
  isLoss?: boolean;
};

/** The parts of a number. A single part needs no number of its own: it equals the sum above it. */
function FigureParts({ parts }: { parts: readonly FigurePart[] }) {
  if (parts.length === 0) return null;
  return (
    <ul className={classes.parts}>
      {parts.map(({ name, count, href, title, isLoss = false }) => (
        <li key={name} title={title} data-loss={isLoss}>
          {href === undefined ? name : <a href={href}>{name}</a>}
          {parts.length > 1 && ` ${formatCount(count)}`}
        </li>
      ))}
    </ul>
  );
}

/** Whether the figures on the page are current. */
export const IsKnown = createContext(true);

/** The remainder: inconspicuous if it is zero, prominent if it is not. */
function Remainder({ remainder }: { remainder: number }) {
  const isKnown = useContext(IsKnown);
  if (!isKnown) return <span className="good">not known</span>;
  if (remainder === 0) return <span className="good">balanced</span>;
  const sign = remainder < 0 ? '\u2212' : '';
  return (
    <strong
      className={classes.wrong}
      title="The counts do not add up. This is a fault of the server."
    >
      {sign}
      {formatCount(Math.abs(remainder))} not accounted for
    </strong>
  );
}
