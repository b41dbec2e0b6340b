/** One field of the sidebar: its most frequent values, more of them when asked for, and what can be done with it. */
import { ActionIcon, Menu, Skeleton, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChevronDown, IconDots, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Facet } from '../../api/model';
import { formatCount } from '../../ui/number';
import type { SearchState } from '../searchParams';
import { FacetRow } from './FacetRow';
import { FieldMenu } from './FieldMenu';
import { numbersQuery, valuesQuery } from './facetQueries';
import { LISTED_MAX, holding, inOrder, isNumeric } from './facetValues';
import type { FieldProps } from './field';
import classes from './Facets.module.css';

type Props = FieldProps & {
  facet: Facet | undefined;
  isOpen: boolean;
  onToggle: () => void;
};

const STEPS = [10, 50, LISTED_MAX];

export function FieldFacet({ facet, isOpen, onToggle, ...props }: Props) {
  const { field } = props;
  const [isSearched, setSearched] = useState(false);
  return (
    <section className={classes.facet} aria-label={field}>
      <div className={classes.facetHead}>
        <UnstyledButton className={classes.name} aria-expanded={isOpen} onClick={onToggle}>
          <IconChevronDown size={14} aria-hidden />
          <span className={classes.fieldName}>{field}</span>
          {facet !== undefined && <Distinct facet={facet} />}
        </UnstyledButton>
        <ActionIcon
          size={24}
          aria-label={`Search the values of ${field}`}
          aria-pressed={isSearched}
          onClick={() => {
            setSearched(!isSearched);
            if (!isOpen) onToggle();
          }}
        >
          <IconSearch size={14} />
        </ActionIcon>
        <Menu
          position="bottom-end"
          withInitialFocusPlaceholder={false}
          portalProps={{ target: '#content' }}
        >
          <Menu.Target>
            <ActionIcon size={24} aria-label={`Actions of ${field}`}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <FieldMenu {...props} />
          </Menu.Dropdown>
        </Menu>
      </div>
      {isOpen && facet === undefined && <RowsBefore />}
      {isOpen && facet !== undefined && <Values {...props} facet={facet} isSearched={isSearched} />}
    </section>
  );
}

function RowsBefore() {
  return [72, 56, 64, 40, 48].map((percent) => (
    <Skeleton key={percent} height={8} width={`${percent}%`} my={8} ml={4} />
  ));
}

function Distinct({ facet: { distinct, partial } }: { facet: Facet }) {
  const about = partial === undefined ? '' : '~';
  return (
    <span className={classes.distinct} title={partial ?? 'Different values'}>
      {about}
      {formatCount(distinct)} distinct
    </span>
  );
}

type ValuesProps = FieldProps & { facet: Facet; isSearched: boolean };

function Values({ facet, isSearched, ...props }: ValuesProps) {
  const { state, field } = props;
  const [step, setStep] = useState(0);
  const [text, setText] = useState('');
  const [rested] = useDebouncedValue(isSearched ? text.trim() : '', 250);
  const isLong = facet.distinct > LISTED_MAX;
  const isAsked = step > 0 || isSearched;
  const limit = isSearched ? LISTED_MAX : (STEPS[step] ?? LISTED_MAX);
  const more = useQuery({
    ...valuesQuery(state, field, limit, isLong ? rested : ''),
    enabled: isAsked,
  });
  const shown = isAsked ? (more.data ?? facet) : facet;
  const values = inOrder(field, isLong ? shown.values : holding(shown.values, rested));
  const canShowMore = !isSearched && step < STEPS.length - 1 && shown.distinct > values.length;
  return (
    <>
      {isSearched && (
        <TextInput
          size="xs"
          m={4}
          aria-label={`Values of ${field} that hold`}
          placeholder="Holds…"
          autoFocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {more.error !== null && <p className={classes.note}>{more.error.message}</p>}
      {isNumeric(facet.values) && <Numbers state={state} field={field} />}
      {values.length === 0 && (
        <p className={classes.note}>
          {rested === '' ? 'No message here has it.' : 'No value holds that.'}
        </p>
      )}
      <ul className={classes.values}>
        {values.map((each) => (
          <FacetRow key={each.value} {...props} value={each} about={facet.partial !== undefined} />
        ))}
      </ul>
      {(canShowMore || step > 0) && (
        <UnstyledButton
          className={classes.more}
          onClick={() => setStep(canShowMore ? step + 1 : 0)}
        >
          {canShowMore ? 'More…' : 'Fewer'}
        </UnstyledButton>
      )}
    </>
  );
}

function Numbers({ state, field }: { state: SearchState; field: string }) {
  const { data, error } = useQuery(numbersQuery(state, field));
  if (error !== null) return null;
  return (
    <dl className={classes.numbers}>
      {(data ?? NUMBERS_BEFORE).map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** As high as the numbers will be. */
const NUMBERS_BEFORE = ['min', 'avg', 'p95', 'max'].map((name) => ({ name, value: '…' }));
