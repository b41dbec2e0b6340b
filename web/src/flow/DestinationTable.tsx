/** The queues of the range: what waited before and what was queued, and what became of both. */
import type { LedgerDestination } from '../api/model';
import { Figure, FigureParts, Remainder } from './Figure';
import { reasonParts } from './SourceTable';
import { countersHref, quarantineHref, queueHref } from './links';
import { sumOf } from './reasons';
import classes from './Flow.module.css';

const heads = [
  'Waited before',
  'Queued',
  'Delivered',
  'Quarantined',
  'Dropped',
  'Waiting',
  'Remainder',
];

export function DestinationTable({ destinations }: { destinations: readonly LedgerDestination[] }) {
  return (
    <section className={classes.table} tabIndex={0} aria-label="Destinations">
      <h2>
        Destinations{' '}
        <span className="meta regular dimmed">their queues, with copies of what is stored</span>
      </h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Destination</th>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {destinations.map((destination) => (
            <Row key={destination.id} {...destination} />
          ))}
        </tbody>
      </table>
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
