/** A value of a field: how often it is there, and the ways to choose it, to have only it, or all but it. */
import { IconCheck, IconEqualNot } from '@tabler/icons-react';
import { type MouseEvent, memo } from 'react';
import { severities, severityLook } from '../../ui/chart/stack';
import { PlainButton } from '../../ui/PlainButton';
import { formatCount, formatMessages } from '../../ui/number';
import { valueEdit } from '../../ui/query/useEdit';
import { share } from './facetValues';
import type { SidebarActions } from './field';
import classes from './Facets.module.css';

const END_CHARACTERS = 6;

type Props = Pick<SidebarActions, 'onEdit'> & {
  field: string;
  value: string;
  /** Missing where nothing that is shown has the value. */
  count: number | undefined;
  /** The number of messages that have the field. */
  messages: number;
  isPartial: boolean;
  isChosen: boolean;
  isExcluded: boolean;
  /** Whether any value of the field is chosen. */
  isMulti: boolean;
};

/** There are dozens, and most answers change few of them. */
export const FacetRow = memo(function FacetRow(props: Props) {
  const { field, value, count, messages, isPartial, isChosen, isExcluded, isMulti, onEdit } = props;
  const name = value === '' ? '(empty)' : value;
  const percent = count === undefined ? '' : share(count, messages);
  const counted = count === undefined ? 'not counted' : formatMessages(count);
  const exclude = () => onEdit([valueEdit(field, value, true)]);
  const choose = (event: MouseEvent) =>
    event.altKey ? exclude() : onEdit([{ op: 'toggle', field, value }]);
  return (
    <li className={classes.value} data-row data-multi={isMulti} data-excluded={isExcluded}>
      <span
        className={classes.bar}
        style={{ width: `${(100 * (count ?? 0)) / Math.max(messages, count ?? 0, 1)}%` }}
      />
      <PlainButton
        className={classes.include}
        role="checkbox"
        aria-checked={isChosen}
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
          <Shortened text={name} />
        </span>
        <span className={classes.count}>
          {isPartial && '~'}
          {count === undefined ? '–' : formatCount(count)}
          <span className={classes.share}>{percent}</span>
        </span>
      </PlainButton>
      <span className={classes.valueActions}>
        <PlainButton
          className={classes.valueAction}
          tabIndex={-1}
          aria-label={`Search for ${field}=${name} and nothing else`}
          title={`Search for ${field}=${name} and nothing else`}
          onClick={() => onEdit([{ op: 'only', field, value }])}
        >
          only
        </PlainButton>
        <PlainButton
          className={classes.valueAction}
          tabIndex={-1}
          aria-label={`Exclude ${field}=${name}`}
          title={`Exclude ${name}`}
          onClick={exclude}
        >
          <IconEqualNot size={14} aria-hidden />
        </PlainButton>
      </span>
    </li>
  );
});

/** The end of a long name often tells it from its neighbours: where there is too little room, the middle is left out. */
function Shortened({ text }: { text: string }) {
  const letters = Array.from(text);
  if (letters.length <= 2 * END_CHARACTERS) return text;
  return (
    <>
      <span className={classes.start}>{letters.slice(0, -END_CHARACTERS).join('')}</span>
      <span className={classes.end}>{letters.slice(-END_CHARACTERS).join('')}</span>
    </>
  );
}

/** The same colours as in the histogram. */
function SeverityMark({ name }: { name: string }) {
  if (!severities.includes(name)) return null;
  return <span className={classes.severity} style={{ background: severityLook(name).color }} />;
}
