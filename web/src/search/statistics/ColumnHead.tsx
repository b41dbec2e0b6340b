/** The head of a column, which sorts by it. */
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import classes from './ColumnHead.module.css';

type Props = {
  name: string;
  kind: string;
  sort: 'ascending' | 'descending' | null;
  onSort: () => void;
};

export function ColumnHead({ name, kind, sort, onSort }: Props) {
  return (
    <th scope="col" aria-sort={sort ?? 'none'} data-kind={kind} className={classes.head}>
      <button type="button" className={classes.sort} title={`Sort by ${name}`} onClick={onSort}>
        <span className="truncate">{name}</span>
        {sort === 'ascending' && <IconArrowUp size={14} aria-hidden />}
        {sort === 'descending' && <IconArrowDown size={14} aria-hidden />}
      </button>
    </th>
  );
}
