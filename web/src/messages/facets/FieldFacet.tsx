/**
 * One field in the sidebar: its line and, if it is open, its values below. It is a single tab stop.
 */
import { Menu, Skeleton, TextInput, UnstyledButton } from '@mantine/core';
import {
  IconArrowUp,
  IconChartBar,
  IconCheck,
  IconChevronDown,
  IconColumns,
  IconDots,
  IconEqualNot,
  IconPin,
  IconPinnedOff,
  IconSearch,
  IconSum,
} from '@tabler/icons-react';
import { type MouseEvent, Suspense, memo, useRef, useState } from 'react';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Facet } from '../../api/model';
import { MenuItem } from '../../ui/MenuItem';
import { PlainButton } from '../../ui/PlainButton';
import { onArrows } from '../../ui/arrows';
import { lazyPart } from '../../api/code';
import { PartLoadError } from '../../ui/PageLoadError';
import { formatCount, formatMessages } from '../../ui/number';
import { severities, severityLook } from '../../ui/chart/stack';
import { valueEdit } from '../../ui/query/useEdit';
import {
  LISTED_MAX,
  holding,
  inOrder,
  isNumeric,
  lacksChosen,
  looksNumeric,
  share,
  valuesText,
} from './facetValues';
import type { FieldProps, SidebarActions } from './field';
import { isSame } from './groups';
import { valuesQuery } from './facetQueries';
import classes from './Facets.module.css';

type Props = FieldProps & {
  /** Its counts, if they are already known; otherwise they are requested when it is opened. */
  facet?: Facet | undefined;
  isPinned?: boolean;
  /** The fraction of the messages that have it. */
  coverage?: number;
  /** Its value, if all messages have the same one. */
  only?: string | undefined;
  /** Whether only the given values are shown. */
  isExtract?: boolean;
  isOpen: boolean;
  onToggle?: () => void;
};

export function FieldFacet(props: Props) {
  const { field, facet, choice, only, isOpen, isPinned = false, isExtract = false } = props;
  const { coverage, onToggle } = props;
  const [isSearched, setSearched] = useState(false);
  const search = () => {
    setSearched(!isSearched);
    if (!isOpen) onToggle?.();
  };
  return (
    <section className="marginBottom4" aria-label={field} onKeyDown={onArrows}>
      <div className={classes.facetHead} data-row>
        <PlainButton className={classes.name} aria-expanded={isOpen} onClick={onToggle}>
          <IconChevronDown size={12} aria-hidden />
          <span className={classes.fieldName} title={field}>
            {field}
          </span>
          {only !== undefined && !isOpen && (
            <span className={classes.only} title={only}>
              {only}
            </span>
          )}
          <span className={classes.meta}>
            {coverage === undefined ? (
              facet !== undefined &&
              !isExtract && <span title={facet.partial}>{valuesText(facet, choice)}</span>
            ) : (
              <Coverage coverage={coverage} />
            )}
          </span>
        </PlainButton>
        <span className={classes.headActions}>
          <PlainButton
            className={classes.headAction}
            tabIndex={-1}
            aria-label={`Search the values of ${field}`}
            aria-pressed={isSearched}
            onClick={search}
          >
            <IconSearch size={14} />
          </PlainButton>
          <FieldActions {...props} isPinned={isPinned} />
        </span>
      </div>
      {isOpen && (
        <FacetValues {...props} given={facet} isSearched={isSearched} isExtract={isExtract} />
      )}
    </section>
  );
}

/**
 * The menu is created when it is opened: closed menus for all fields would be half of the time
 * needed to render the sidebar.
 */
function FieldActions(props: FieldProps & { isPinned: boolean }) {
  const label = `Actions of ${props.field}`;
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span className="relative">
      <PlainButton
        ref={button}
        className={classes.headAction}
        tabIndex={-1}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <IconDots size={16} />
      </PlainButton>
      {isOpen && (
        <Menu opened onClose={close} position="bottom-end" portalProps={{ target: '#content' }}>
          <Menu.Target>
            <span className={classes.actionsCover} aria-hidden aria-label={label} />
          </Menu.Target>
          <Menu.Dropdown>
            <FieldMenu {...props} />
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  );
}

function Coverage({ coverage }: { coverage: number }) {
  const percent = share(coverage, 1);
  return (
    <span className="row gap4" title={`${percent} of the messages have it`}>
      <span className={classes.coverageBar} aria-hidden>
        <span style={{ width: `${100 * coverage}%` }} />
      </span>
      <span className={classes.share}>{percent}</span>
    </span>
  );
}

/**
 * Maximum number of pinned fields: the limit of one request, minus the fields that are always
 * counted.
 */
const PINNED_MAX = 24;

/** The menu of a field in the sidebar. */
function FieldMenu(props: FieldProps & { isPinned: boolean }) {
  const { state, field, isPinned, onEdit, onChange } = props;
  const { columns, facets } = state;
  const isColumn = columns.includes(field);
  const others = facets.filter((other) => !isSame(other, field));
  return (
    <>
      <MenuItem
        small
        icon={IconColumns}
        label={isColumn ? 'Hide column' : 'Show as column'}
        onClick={() =>
          onChange({
            columns: isColumn ? columns.filter((other) => other !== field) : [...columns, field],
            view: 'table',
          })
        }
      />
      {state.split !== undefined && (
        <MenuItem
          small
          icon={IconChartBar}
          label="Break down histogram"
          onClick={() => onChange({ split: field })}
          disabled={state.split === field}
        />
      )}
      <MenuItem
        small
        icon={IconSum}
        label="Top 20 values"
        onClick={() => onEdit([{ op: 'top', field }])}
      />
      <Menu.Divider />
      {isPinned ? (
        <>
          <MenuItem
            small
            icon={IconArrowUp}
            label="Move to top"
            onClick={() => onChange({ facets: [field, ...others] })}
            disabled={facets[0] === field}
          />
          <MenuItem
            small
            icon={IconPinnedOff}
            label="Unpin"
            onClick={() => onChange({ facets: others })}
          />
        </>
      ) : (
        <MenuItem
          small
          icon={IconPin}
          label="Pin"
          onClick={() => onChange({ facets: [...facets, field] })}
          disabled={facets.length >= PINNED_MAX}
        />
      )}
    </>
  );
}

const Distribution = lazyPart(() => import('./NumberRange'), 'NumberRange');

/** The numbers of values shown: initially, and after each request for more. */
const STEPS = [5, 10, 50, LISTED_MAX];
const ASKED = 10;
/** The server's limit. */
const ALL_MAX = 10_000;
const REST_MS = 250;

type FacetValuesProps = FieldProps & {
  given: Facet | undefined;
  isSearched: boolean;
  isExtract: boolean;
};

/**
 * The values of a field: the most frequent ones, more of them on request, or the distribution of
 * its numbers.
 */
function FacetValues({ given, isSearched, isExtract, ...props }: FacetValuesProps) {
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
  if (facet === undefined) return <LinesBefore indent={28} />;
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
      <PartLoadError what="Counts" error={asked.error} onRetry={retry} />
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
        <ul>
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

/** The place for lines that are still being counted. */
export function LinesBefore({ indent }: { indent: number }) {
  return [72, 56, 64].map((percent) => (
    <Skeleton
      key={percent}
      className={classes.before ?? ''}
      height={8}
      width={`${percent}%`}
      my={8}
      ml={indent}
    />
  ));
}

const END_CHARACTERS = 6;

type FacetRowProps = Pick<SidebarActions, 'onEdit'> & {
  field: string;
  value: string;
  /** Undefined if no message that is shown has the value. */
  count: number | undefined;
  /** The number of messages that have the field. */
  messages: number;
  isPartial: boolean;
  isChosen: boolean;
  isExcluded: boolean;
  /** Whether any value of the field is selected. */
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

/** A long name, shortened in the middle if necessary, because names often differ at their end. */
function Shortened({ text }: { text: string }) {
  const letters = Array.from(text);
  if (letters.length <= 2 * END_CHARACTERS) return text;
  return (
    <>
      <span className={classes.start}>{letters.slice(0, -END_CHARACTERS).join('')}</span>
      <span className="rigid pre">{letters.slice(-END_CHARACTERS).join('')}</span>
    </>
  );
}

/** The mark of a severity, in the same colour as in the histogram. */
function SeverityMark({ name }: { name: string }) {
  if (!severities.includes(name)) return null;
  return <span className={classes.severity} style={{ background: severityLook(name).color }} />;
}
