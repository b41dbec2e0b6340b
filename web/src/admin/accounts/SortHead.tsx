/** The head of a column that the rows can be sorted by. */
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { Sort, SortKey } from '../adminParams';
import classes from '../Admin.module.css';

type Props = {
  label: string;
  by: SortKey;
  sort: Sort;
  isNumber?: boolean;
  onSort: (by: SortKey) => void;
};

export function SortHead({ label, by, sort, isNumber = false, onSort }: Props) {
  const isOn = sort.key === by;
  const Icon = sort.descending ? IconChevronDown : IconChevronUp;
  return (
    <th
      scope="col"
      className={isNumber ? classes.number : undefined}
      aria-sort={isOn ? (sort.descending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" className={classes.sort} onClick={() => onSort(by)}>
        {label}
        {isOn && <Icon size={14} aria-hidden />}
      </button>
    </th>
  );
}
