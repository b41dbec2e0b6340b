/** A table of one row without groups: its values are the answer, so they are written large. */
import { useZone } from '../../ui/time';
import { shownText } from './DataTable';
import type { Table } from './queries';
import classes from './Statistics.module.css';

export function SingleRow({ table }: { table: Table }) {
  const [zone] = useZone();
  const row = table.rows[0] ?? [];
  return (
    <dl className="flex wrap gap8">
      {table.columns.map((column, at) => (
        <div key={at} className={classes.oneFigure}>
          <dt>{column.name}</dt>
          <dd>{shownText(row[at] ?? null, column, zone)}</dd>
        </div>
      ))}
    </dl>
  );
}
