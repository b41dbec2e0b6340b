/** A message as a row of the table: severity and time, and whatever fields the reader chose. */
import { memo } from 'react';
import { Severity } from '../../ui/Severity';
import { type RowProps, rowAttributes, rowHead, valueOf } from '../../ui/message/MessageLine';
import { Repeats } from '../../ui/message/Repeats';
import { SmartText } from '../../ui/message/SmartText';
import { valuesOf } from '../../ui/message/fields';
import { ROW_CHARACTERS_MAX, cut } from '../../ui/message/text';
import classes from './Table.module.css';

type Props = RowProps & {
  columns: readonly string[];
  /** The field that the cursor is on, of the current row. */
  field: string | null;
};

export const TableRow = memo(function TableRow(props: Props) {
  const { columns, field } = props;
  return (
    <div {...rowAttributes(props)} className={classes.row}>
      {rowHead(props)}
      {columns.map((column) => (
        <span key={column} role="cell" className={classes.cell} data-cursor={column === field}>
          <Cell {...props} column={column} />
        </span>
      ))}
    </div>
  );
});

function Cell({ message, column, hits, wrap, layout, fold }: Props & { column: string }) {
  if (column === 'message') {
    return (
      <>
        {fold !== undefined && <Repeats fold={fold} />}
        <SmartText message={message} hits={hits} wrap={wrap} profile={layout?.profile} />
      </>
    );
  }
  if (column === 'severity' && message.severity_name !== null) {
    return (
      <span data-field="severity" data-value={message.severity_name} className={classes.value}>
        <Severity message={message} />
      </span>
    );
  }
  const values = valuesOf(message, column);
  if (values.length === 0) return valueOf(column, '', hits);
  return values.map((value, at) => (
    <span key={at}>
      {at > 0 && ', '}
      {valueOf(column, cut(value, ROW_CHARACTERS_MAX).text, hits)}
    </span>
  ));
}
