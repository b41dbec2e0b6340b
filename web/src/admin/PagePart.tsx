/** A part of the page: its heading, and its contents, a loading state, or an error. */
import type { ComponentProps, ReactNode, Ref } from 'react';
import { Table } from '../ui/Table';
import { PartLoadError } from '../ui/PageLoadError';
import { Skeleton, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconSearch } from '@tabler/icons-react';
import { follow, useOpen } from '../ui/open';
import type { Sort, SortKey } from './adminParams';
import classes from './Admin.module.css';

type Props = {
  label: string;
  /** The heading, if it says more than the label. */
  title?: string;
  /** Shown beside the heading. */
  note?: ReactNode;
  /** Shown at the end of the heading. */
  tools?: ReactNode;
  isLoading?: boolean;
  error?: Error | null;
  onRetry?: () => void;
  children: ReactNode;
};

export function PagePart(props: Props) {
  const { label, title = label, note, tools, isLoading = false, error = null, children } = props;
  return (
    <section className="rigid panel round10" aria-label={label}>
      <div className="row wrap gap4x8 pad8x16 minHeight48">
        <h2>{title}</h2>
        {note !== undefined && <span className="dimmed">{note}</span>}
        {tools !== undefined && <div className="flex gap8 toEnd">{tools}</div>}
      </div>
      {error !== null && (
        <div className={classes.none}>
          <PartLoadError what={label} error={error} onRetry={() => props.onRetry?.()} />
        </div>
      )}
      {isLoading && error === null && <Loading rows={4} />}
      {children}
    </section>
  );
}

/** Placeholders for rows that are loading. */
export function Loading({ rows }: { rows: number }) {
  return (
    <div className={classes.loading} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <Skeleton key={at} height={24} mt={12} />
      ))}
    </div>
  );
}

type FilterFieldProps = {
  ref?: Ref<HTMLInputElement>;
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
};

/** A field whose text filters the rows of a table. */
export function FilterField({ ref, label, placeholder, value, onChange }: FilterFieldProps) {
  return (
    <TextInput
      ref={ref}
      size="xs"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} aria-hidden />}
      className={classes.finder ?? ''}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type TableFrameProps = Pick<ComponentProps<typeof Table>, 'heads' | 'children'> & {
  label: string;
  className?: string | undefined;
};

/**
 * The frame around a table: it scrolls sideways, also by keyboard, and its links open within the
 * page.
 */
export function TableFrame({ label, className = '', ...rest }: TableFrameProps) {
  const open = useOpen();
  return (
    <div
      className={`${classes.scroll} ${className}`}
      tabIndex={0}
      role="group"
      aria-label={label}
      onClick={(event) => follow(event, open)}
    >
      <Table {...rest} />
    </div>
  );
}

type SortHeadProps = {
  label: string;
  by: SortKey;
  sort: Sort;
  isNumber?: boolean;
  onSort: (by: SortKey) => void;
};

/** The header of a column by which the rows can be sorted. */
export function SortHead({ label, by, sort, isNumber = false, onSort }: SortHeadProps) {
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
