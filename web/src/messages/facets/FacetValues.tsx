/** The values of a field: the most frequent ones, more of them when asked for, or how its numbers are spread. */
import { Skeleton, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, Suspense, lazy, memo, useState } from 'react';
import { IconCheck, IconEqualNot } from '@tabler/icons-react';
import { fetched } from '../../api/code';
import type { Facet } from '../../api/model';
import { PartLoadError } from '../../ui/PageLoadError';
import { formatCount, formatMessages } from '../../ui/number';
import { severities, severityLook } from '../../ui/chart/stack';
import { PlainButton } from '../../ui/PlainButton';
import { valueEdit } from '../../ui/query/useEdit';
import { valuesQuery } from './facetQueries';
import {
  LISTED_MAX,
  holding,
  inOrder,
  isNumeric,
  lacksChosen,
  looksNumeric,
  share,
} from './facetValues';
import type { FieldProps, SidebarActions } from './field';
import classes from './Facets.module.css';

const Distribution = lazy(async () => ({
  default: (await fetched(() => import('./NumberRange'))).NumberRange,
}));

/** The number of values that are shown at first, and added each time more are requested. */
const STEPS = [5, 10, 50, LISTED_MAX];
const ASKED = 10;
/** The limit of the server. */
const ALL_MAX = 10_000;
const REST_MS = 250;

type Props = FieldProps & {
  given: Facet | undefined;
  isSearched: boolean;
  isExtract: boolean;
};

export function FacetValues({ given, isSearched, isExtract, ...props }: Props) {
  const { state, field, choice } = props;
  const [step, setStep] = useState(0);
  const [text, setText] = useState('');
  const [rested] = useDebouncedValue(isSearched ? text.trim() : '', REST_MS);
  const isChosen = choice.values.length > 0;
  const isLong = (given?.distinct ?? 0) > LISTED_MAX;
  const needsMore = given !== undefined && lacksChosen(given, choice);
  const limit = limitOf(needsMore ? STEPS.length - 1 : step, isSearched, isLong && isChosen);
  const isEnough = given !== undefined && !isSearched && limit <= ASKED && !looksNumeric(given);
  const asked = useQuery({
    ...valuesQuery(state, field, limit, isLong && !isChosen ? rested : ''),
    enabled: !isExtract && !isEnough,
  });
  const facet = isExtract || isEnough ? given : (asked.data ?? given);
  const retry = () => void asked.refetch();
  if (facet === undefined && asked.error !== null) {
    return <PartLoadError what="Counts" error={asked.error} onRetry={retry} />;
  }
  if (facet === undefined) return <RowsBefore />;
  const isSpread = !isExtract && !isSearched && isNumeric(facet);
  const shown = rested === '' && !isExtract ? choice : NO_CHOICE;
  const max = isExtract || isSearched ? Infinity : STEPS[step];
  const values = inOrder(field, holding(facet.values, rested), shown, max);
  const others = facet.distinct - values.length;
  const canShowMore = !isExtract && !isSearched && step < STEPS.length - 1 && others > 0;
  return (
    <>
      {isSearched && (
        <TextInput
          size="xs"
          m={4}
          aria-label={`Values of ${field} that contain`}
          placeholder="Contains…"
          autoFocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {asked.error !== null && <PartLoadError what="Counts" error={asked.error} onRetry={retry} />}
      {isSpread && (
        <Suspense>
          <Distribution {...props} numbers={facet.numbers} />
        </Suspense>
      )}
      {values.length === 0 && (
        <p className={classes.note}>
          {rested === '' ? 'Not present in these results.' : 'No matching values.'}
        </p>
      )}
      {!isSpread && (
        <ul className={classes.values}>
          {values.map((each) => (
            <FacetRow
              key={each.value}
              field={field}
              value={each.value}
              count={each.count}
              messages={facet.messages}
              isPartial={facet.partial !== undefined}
              isChosen={choice.values.includes(each.value)}
              isExcluded={choice.excluded.includes(each.value)}
              isMulti={isChosen}
              onEdit={props.onEdit}
            />
          ))}
        </ul>
      )}
      {!isSpread && canShowMore && (
        <UnstyledButton className={classes.more} onClick={() => setStep(step + 1)}>
          {others === 1 ? '1 other' : `${formatCount(others)} others`}
        </UnstyledButton>
      )}
      {!canShowMore && step > 0 && (
        <UnstyledButton className={classes.more} onClick={() => setStep(0)}>
          Fewer
        </UnstyledButton>
      )}
    </>
  );
}

const NO_CHOICE = { values: [], excluded: [], low: undefined, high: undefined };

/** The number of values to request. */
function limitOf(step: number, isSearched: boolean, isAll: boolean): number {
  if (!isSearched) return Math.max(STEPS[step] ?? LISTED_MAX, ASKED);
  return isAll ? ALL_MAX : LISTED_MAX;
}

function RowsBefore() {
  return [72, 56, 64].map((percent) => (
    <Skeleton
      key={percent}
      className={classes.before ?? ''}
      height={8}
      width={`${percent}%`}
      my={8}
      ml={28}
    />
  ));
}

const END_CHARACTERS = 6;

type FacetRowProps = Pick<SidebarActions, 'onEdit'> & {
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

/**
 * A value of a field: how often it is there, and the ways to choose it, to have only it, or all
 * but it. There are dozens, and most answers change few of them.
 */
const FacetRow = memo(function FacetRow(props: FacetRowProps) {
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
