/**
 * Messages by where they go now, in rows, and where the draft would send them, in columns. Arrow keys go from cell to
 * cell.
 */
import { Button, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Table } from '../../ui/Table';
import { formatCount, formatMessages } from '../../ui/number';
import { type Cell, type Documents, type Heading, type Matrix, cellNote } from './outcome';
import classes from './Matrix.module.css';

export type MatrixPlace = { row: string; column: string };

type Props = {
  matrix: Matrix;
  documents: Documents | null;
  chosen: MatrixPlace | null;
  onChoose: (place: MatrixPlace) => void;
};

/**
 * The number of rows and columns that are shown at first; those without changes are left out first.
 */
const SHOWN_MAX = 8;

export function MatrixTable({ matrix, documents, chosen, onChoose }: Props) {
  const [isWhole, setWhole] = useState(false);
  const table = useRef<HTMLTableElement>(null);
  const [row, column] = [chosen?.row, chosen?.column];
  useEffect(() => {
    const cell = table.current?.querySelector('[data-chosen=true]');
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [row, column]);
  const rows = isWhole ? matrix.rows : mostChanged(matrix.rows);
  const columns = isWhole ? matrix.columns : mostChanged(matrix.columns);
  const left = matrix.rows.length - rows.length + matrix.columns.length - columns.length;
  const total = matrix.rows.reduce((sum, row) => sum + row.total, 0);
  const places = rows.flatMap((row) =>
    columns.filter(({ key }) => matrix.cells.get(row.key)?.has(key) === true).map(({ key }) => key),
  );
  return (
    <section className="rigid clip panel round8" aria-label="Outcomes">
      {/* It scrolls where the page is too narrow for it. */}
      <div className="scrollX" tabIndex={places.length === 0 ? 0 : -1}>
        <Table
          ref={table}
          className={classes.grid}
          onKeyDown={moveFocus}
          heads={[
            <th scope="col" className={classes.corner}>
              <span>Now ↓</span>
              <span>Draft →</span>
            </th>,
            ...columns.map((column) => (
              <th key={column.key} scope="col" title={column.key}>
                <Names heading={column} />
              </th>
            )),
            'Total now',
          ]}
          foot={
            <tfoot>
              <tr>
                <th scope="row">Total draft</th>
                {columns.map((column) => (
                  <td key={column.key}>{formatCount(column.total)}</td>
                ))}
                <td>
                  <b>{formatCount(total)}</b>
                </td>
              </tr>
            </tfoot>
          }
        >
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row" title={row.key}>
                <Names heading={row} />
              </th>
              {columns.map((column) => {
                const cell = matrix.cells.get(row.key)?.get(column.key);
                if (cell === undefined) return <td key={column.key} />;
                const isChosen = chosen?.row === row.key && chosen.column === column.key;
                return (
                  <td key={column.key} data-kind={cell.kind} data-chosen={isChosen}>
                    <CellButton
                      {...{ cell, documents, isChosen }}
                      onChoose={() => onChoose({ row: row.key, column: column.key })}
                    />
                  </td>
                );
              })}
              <td>{formatCount(row.total)}</td>
            </tr>
          ))}
        </Table>
      </div>
      {left > 0 && (
        <Button variant="subtle" className={classes.more ?? ''} onClick={() => setWhole(true)}>
          Show {left} more rows and columns
        </Button>
      )}
    </section>
  );
}

function Names({ heading: { title, note } }: { heading: Heading }) {
  return (
    <>
      <span className="block ellipsis line18 bold">{title}</span>
      {note !== '' && <small>{note}</small>}
    </>
  );
}

type CellProps = {
  cell: Cell;
  documents: Documents | null;
  isChosen: boolean;
  onChoose: () => void;
};

function CellButton({ cell, documents, isChosen, onChoose }: CellProps) {
  const note = cell.kind === 'same' ? 'unchanged' : cellNote(cell, documents);
  return (
    <UnstyledButton
      className={classes.cell}
      aria-pressed={isChosen}
      aria-label={`${cell.row} to ${cell.column}, ${formatMessages(cell.count)}, ${note}`}
      // The Tab key reaches one of the cells, and the arrow keys reach the others from there.
      tabIndex={isChosen ? 0 : -1}
      onClick={onChoose}
    >
      <span className={classes.count}>{formatCount(cell.count)}</span>
      <small>{note}</small>
    </UnstyledButton>
  );
}

/** The headings in their order, without those where the least changes. */
function mostChanged(headings: readonly Heading[]): readonly Heading[] {
  if (headings.length <= SHOWN_MAX) return headings;
  const kept = [...headings]
    .sort((a, b) => Number(b.isChanged) - Number(a.isChanged) || b.total - a.total)
    .slice(0, SHOWN_MAX);
  return headings.filter((heading) => kept.includes(heading));
}

const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Moves the focus to the next existing cell in the direction of the key. */
function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const step = steps[event.key];
  const from = (event.target as HTMLElement).closest('td');
  if (step === undefined || from === null) return;
  event.preventDefault();
  const [down, right] = step;
  const rows = [...event.currentTarget.tBodies].flatMap((body) => [...body.rows]);
  let row = rows.findIndex((one) => one.contains(from)) + down;
  let column = from.cellIndex + right;
  while (rows[row]?.cells[column] !== undefined) {
    const button = rows[row]?.cells[column]?.querySelector('button');
    if (button !== null && button !== undefined) {
      button.focus();
      return;
    }
    row += down;
    column += right;
  }
}
