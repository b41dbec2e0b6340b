/** Where messages go now, in rows, against where the draft would send them, in columns. */
import { UnstyledButton } from '@mantine/core';
import { formatCount } from '../../ui/number';
import type { Matrix } from './outcome';
import classes from './Testing.module.css';

type Place = { row: string; column: string };

type Props = { matrix: Matrix; chosen: Place | null; onChoose: (place: Place) => void };

export function MatrixTable({ matrix, chosen, onChoose }: Props) {
  const { rows, columns, cells } = matrix;
  const sum = (of: (row: string, column: string) => boolean) =>
    rows
      .flatMap((row) => columns.map((column) => ({ row, column })))
      .filter(({ row, column }) => of(row, column))
      .reduce((total, { row, column }) => total + (cells.get(row)?.get(column)?.count ?? 0), 0);
  return (
    <section className={classes.table} tabIndex={0} aria-label="Outcomes">
      <table className={classes.grid}>
        <thead>
          <tr>
            <th scope="col">Now ↓ Draft →</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            <th scope="col">Total now</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {columns.map((column) => {
                const cell = cells.get(row)?.get(column);
                if (cell === undefined) return <td key={column} />;
                const isChosen = chosen?.row === row && chosen.column === column;
                const percent = Math.round((100 * cell.changed) / Math.max(cell.count, 1));
                return (
                  <td key={column} data-kind={cell.kind} data-chosen={isChosen}>
                    <UnstyledButton
                      className={classes.cell}
                      aria-pressed={isChosen}
                      aria-label={`${row} to ${column}, ${formatCount(cell.count)} messages`}
                      onClick={() => onChoose({ row, column })}
                    >
                      {formatCount(cell.count)}
                      {cell.changed > 0 && <small>{percent} % changed</small>}
                    </UnstyledButton>
                  </td>
                );
              })}
              <td>{formatCount(sum((one) => one === row))}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total draft</th>
            {columns.map((column) => (
              <td key={column}>{formatCount(sum((_, one) => one === column))}</td>
            ))}
            <td>
              <b>{formatCount(sum(() => true))}</b>
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
