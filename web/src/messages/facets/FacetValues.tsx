/** The values of a field: the most frequent ones, more of them when asked for, or how its numbers are spread. */
import { Skeleton, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy, useState } from 'react';
import { fetched } from '../../api/code';
import type { Facet } from '../../api/model';
import { PartLoadError } from '../../ui/PartLoadError';
import { formatCount } from '../../ui/number';
import { FacetRow } from './FacetRow';
import { valuesQuery } from './facetQueries';
import { LISTED_MAX, holding, inOrder, isNumeric, lacksChosen, looksNumeric } from './facetValues';
import type { FieldProps } from './field';
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
