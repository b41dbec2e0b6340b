/** A message as a row of a list: as a line, or where columns were chosen as a row of the table. */
import { MessageLine } from '../../ui/message/MessageLine';
import { TableRow } from './TableRow';

type Props = Omit<Parameters<typeof TableRow>[0], 'columns'> & {
  columns: readonly string[] | null;
};

export function MessageRow({ columns, ...row }: Props) {
  return columns === null ? <MessageLine {...row} /> : <TableRow columns={columns} {...row} />;
}
