/**
 * A value of a field in a table: a click filters by it on the same page, and the button beside it
 * opens all other actions.
 */
import { IconArrowDown, IconArrowUp, IconDots } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import type { Box } from './chart/layout';
import classes from './NamedValue.module.css';
import columnHeadClasses from './ColumnHead.module.css';

type Props = {
  text: string;
  field: string;
  /** Null if no search can express the value. */
  onFilter: ((exclude: boolean) => void) | null;
  onMenu: ((at: Box) => void) | null;
};

export function NamedValue({ text, field, onFilter, onMenu }: Props) {
  const openMenu = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    onMenu?.(boxOf(event.currentTarget));
  };
  return (
    <span
      className="row grow minWidth0 relative"
      {...(onMenu !== null && { onContextMenu: openMenu })}
    >
      {onFilter === null ? (
        <span className="block truncate">{text}</span>
      ) : (
        <button
          type="button"
          className={classes.filter}
          title={`${text}\nClick: only this ${field}\nAlt-click: exclude it`}
          onClick={(event) => onFilter(event.altKey)}
        >
          <span className="block truncate">{text}</span>
        </button>
      )}
      {onMenu !== null && (
        <button
          type="button"
          className={classes.more}
          aria-label={`Actions for ${text}`}
          aria-haspopup="menu"
          onClick={openMenu}
        >
          <IconDots size={14} aria-hidden />
        </button>
      )}
    </span>
  );
}

function boxOf(element: HTMLElement): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
}

type ColumnHeadProps = {
  name: string;
  kind: string;
  sort: 'ascending' | 'descending' | null;
  onSort: () => void;
};

/** The head of a column, which sorts by it. */
export function ColumnHead({ name, kind, sort, onSort }: ColumnHeadProps) {
  return (
    <th scope="col" aria-sort={sort ?? 'none'} data-kind={kind} className={columnHeadClasses.head}>
      <button
        type="button"
        className={columnHeadClasses.sort}
        title={`Sort by ${name}`}
        onClick={onSort}
      >
        <span className="truncate">{name}</span>
        {sort === 'ascending' && <IconArrowUp size={14} aria-hidden />}
        {sort === 'descending' && <IconArrowDown size={14} aria-hidden />}
      </button>
    </th>
  );
}
