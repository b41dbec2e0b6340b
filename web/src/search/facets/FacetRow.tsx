/** A value of a field: how often it is there, and the ways to have only it, or all but it. */
import { UnstyledButton } from '@mantine/core';
import { IconEqualNot } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { Severity } from '../../ui/Severity';
import { severities } from '../../ui/chart/stack';
import { formatCount } from '../../ui/number';
import { useEdit } from '../../ui/query/useEdit';
import { type FacetValue, share } from './facetValues';
import type { FieldProps } from './field';
import classes from './Facets.module.css';

type Props = FieldProps & {
  value: FacetValue;
  /** Whether the count is only about right. */
  about: boolean;
};

export function FacetRow({ state, field, total, value: { value, count }, about, ...props }: Props) {
  const percent = share(count, total);
  const name = value === '' ? '(empty)' : value;
  const clause = `${field}=${name}`;
  const edit = useEdit(state.query);
  const only = () =>
    edit([{ op: 'only', field, value }], (query) => props.onAsk({ query, off: [] }));
  return (
    <li className={classes.value}>
      <span
        className={classes.bar}
        style={{ width: `${(100 * count) / Math.max(total ?? count, count, 1)}%` }}
      />
      <UnstyledButton
        className={classes.include}
        title={`${name}\nClick: add ${clause}\nAlt-click: without it`}
        aria-label={`${name}, ${formatCount(count)} messages${percent && `, ${percent}`}`}
        onClick={(event: MouseEvent) => props.onFilter(field, value, event.altKey)}
      >
        <span className={classes.label}>
          {field === 'severity' ? <SeverityValue name={value} /> : name}
        </span>
        <span className={classes.count}>
          {about && '~'}
          {formatCount(count)}
          <span className={classes.share}>{percent}</span>
        </span>
      </UnstyledButton>
      <span className={classes.valueActions}>
        <UnstyledButton
          className={classes.valueAction}
          aria-label={`Exclude ${field}=${name}`}
          title={`Exclude ${name}`}
          onClick={() => props.onFilter(field, value, true)}
        >
          <IconEqualNot size={14} aria-hidden />
        </UnstyledButton>
        <UnstyledButton
          className={classes.valueAction}
          aria-label={`Search for ${clause} and nothing else`}
          title={`Search for ${clause} and nothing else`}
          onClick={only}
        >
          only
        </UnstyledButton>
      </span>
    </li>
  );
}

function SeverityValue({ name }: { name: string }) {
  const severity = severities.indexOf(name);
  return severity === -1 ? name : <Severity message={{ severity, severity_name: name }} />;
}
