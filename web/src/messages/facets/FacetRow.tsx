/** A value of a field: how often it is there, and the ways to choose it, to have only it, or all but it. */
import { UnstyledButton } from '@mantine/core';
import { IconCheck, IconEqualNot } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import type { Facet } from '../../api/model';
import { severities, severityLook } from '../../ui/chart/stack';
import { formatCount, formatMessages } from '../../ui/number';
import { valueEdit } from '../../ui/query/useEdit';
import { type FacetValue, share } from './facetValues';
import type { FieldProps } from './field';
import classes from './Facets.module.css';

type Props = FieldProps & { value: FacetValue; facet: Facet };

export function FacetRow({ field, choice, value: { value, count }, facet, onEdit }: Props) {
  const name = value === '' ? '(empty)' : value;
  const percent = count === undefined ? '' : share(count, facet.messages);
  const isExcluded = choice.excluded.includes(value);
  const counted = count === undefined ? 'not counted' : formatMessages(count);
  const exclude = () => onEdit([valueEdit(field, value, true)]);
  const choose = (event: MouseEvent) =>
    event.altKey ? exclude() : onEdit([{ op: 'toggle', field, value }]);
  return (
    <li
      className={classes.value}
      data-row
      data-multi={choice.values.length > 0}
      data-excluded={isExcluded}
    >
      <span
        className={classes.bar}
        style={{ width: `${(100 * (count ?? 0)) / Math.max(facet.messages, count ?? 0, 1)}%` }}
      />
      <UnstyledButton
        className={classes.include}
        role="checkbox"
        aria-checked={choice.values.includes(value)}
        tabIndex={-1}
        title={`${name}\nClick to choose, Alt-click to exclude`}
        aria-label={`${name}, ${counted}${percent && `, ${percent}`}${isExcluded ? ', excluded' : ''}`}
        onClick={choose}
      >
        <span className={classes.box} aria-hidden>
          <IconCheck size={10} stroke={3} />
        </span>
        <span className={classes.label}>
          {field === 'severity' && <SeverityMark name={value} />}
          {name}
        </span>
        <span className={classes.count}>
          {facet.partial !== undefined && '~'}
          {count === undefined ? '–' : formatCount(count)}
          <span className={classes.share}>{percent}</span>
        </span>
      </UnstyledButton>
      <span className={classes.valueActions}>
        <UnstyledButton
          className={classes.valueAction}
          tabIndex={-1}
          aria-label={`Search for ${field}=${name} and nothing else`}
          title={`Search for ${field}=${name} and nothing else`}
          onClick={() => onEdit([{ op: 'only', field, value }])}
        >
          only
        </UnstyledButton>
        <UnstyledButton
          className={classes.valueAction}
          tabIndex={-1}
          aria-label={`Exclude ${field}=${name}`}
          title={`Exclude ${name}`}
          onClick={exclude}
        >
          <IconEqualNot size={14} aria-hidden />
        </UnstyledButton>
      </span>
    </li>
  );
}

/** As in the histogram. */
function SeverityMark({ name }: { name: string }) {
  if (!severities.includes(name)) return null;
  return <span className={classes.severity} style={{ background: severityLook(name).color }} />;
}
