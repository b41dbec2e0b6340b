/** The fields in three groups: those that were pinned, those that the messages have, and all others, to be searched. */
import { Skeleton, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { isRefusal } from '../../api/client';
import type { Facet } from '../../api/model';
import { readingQuery } from '../../api/query';
import { PartLoadError } from '../../ui/PartLoadError';
import { formatCount } from '../../ui/number';
import { FieldFacet } from './FieldFacet';
import { FieldSearch } from './FieldSearch';
import { type Choice, choiceOf } from './choice';
import { foundQuery } from './facetQueries';
import type { FacetsProps, FieldProps } from './field';
import { type FoundFields, commonFields, foundFields, isSame } from './groups';
import { useBrowserState } from '../../ui/useBrowserState';
import classes from './Facets.module.css';

/** So many of the found fields are shown before somebody asks for more. */
const SHOWN_MAX = 12;

type Props = FacetsProps & { action?: ReactNode };

export function FieldGroups({ action, ...props }: Props) {
  const { state, facets, stale = false, error, onRetry } = props;
  const [text, setText] = useState('');
  const reading = useQuery(readingQuery(state.query));
  const found = useQuery({ ...foundQuery(state), enabled: !isRefusal(error) });
  useFreshness(facets, stale);
  const propsOf = (field: string): FieldProps => ({
    ...props,
    field,
    choice: choiceOf(state.query.trim() === '' ? [] : (reading.data?.clauses ?? []), field),
  });
  const isNothing =
    !stale && found.data?.messages === 0 && state.facets.every((f) => facets?.[f]?.messages === 0);
  const fields = foundFields(state.facets, facets ?? {}, found.data);
  if (isRefusal(error)) return <Cleared action={action} />;
  return (
    <>
      <div className={classes.fields} data-stale={stale}>
        {text.trim() === '' ? (
          <>
            <h2 className={classes.group}>
              Pinned
              <span className="toEnd regular">{action}</span>
            </h2>
            {error !== null && <PartLoadError what="Counts" error={error} onRetry={onRetry} />}
            {error === null && isNothing && (
              <p className={classes.note}>Nothing matches, so no field has a value.</p>
            )}
            {error === null &&
              !isNothing &&
              state.facets.map((field) => (
                <Pinned key={field} {...propsOf(field)} facet={facets?.[field]} />
              ))}
            {!isNothing && (
              <h2 className={classes.group}>
                In these messages
                {fields.length > 0 && <span className="toEnd regular">coverage</span>}
              </h2>
            )}
            {found.error !== null && (
              <PartLoadError
                what="Fields"
                error={found.error}
                onRetry={() => void found.refetch()}
              />
            )}
            {found.isPending && <NamesBefore />}
            {found.data !== undefined && fields.length === 0 && !isNothing && (
              <p className={classes.note}>No other fields.</p>
            )}
            <InMessages fields={fields} propsOf={propsOf} />
          </>
        ) : (
          <FieldSearch.Results text={text} fields={fields} propsOf={propsOf} state={state} />
        )}
      </div>
      <FieldSearch.Box
        text={text}
        count={namesOf(state.facets, fields, found.data?.distinct ?? 0)}
        onChange={setText}
      />
    </>
  );
}

/** Fields that are counted separately are counted again with all others, but not for every new message. */
function useFreshness(facets: FacetsProps['facets'], stale: boolean): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (facets === undefined || stale) return;
    for (const key of ['fields', 'facet'])
      void queryClient.refetchQueries({ queryKey: [key], type: 'active', stale: true });
  }, [facets, stale, queryClient]);
}

/** Under an error of the query there is nothing to count. */
function Cleared({ action }: { action: ReactNode }) {
  return (
    <div className={classes.fields}>
      <h2 className={classes.group}>
        Fields<span className="toEnd regular">{action}</span>
      </h2>
      <p className={classes.note}>No counts while the query has an error.</p>
    </div>
  );
}

function Pinned(props: FieldProps & { facet: Facet | undefined }) {
  const [isOpen, toggle] = useOpen(props.field, true, props.choice);
  return <FieldFacet {...props} isPinned isOpen={isOpen} onToggle={toggle} />;
}

type InMessagesProps = { fields: readonly FoundFields[]; propsOf: (field: string) => FieldProps };

function InMessages({ fields, propsOf }: InMessagesProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? fields : fields.slice(0, SHOWN_MAX);
  const others = fields.length - SHOWN_MAX;
  return (
    <>
      {shown.map((found) => (
        <FoundField key={found.field} {...propsOf(found.field)} found={found} />
      ))}
      {others > 0 && (
        <UnstyledButton className={classes.more} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fewer fields' : `${formatCount(others)} more fields`}
        </UnstyledButton>
      )}
    </>
  );
}

function FoundField({ found, ...props }: FieldProps & { found: FoundFields }) {
  const [isOpen, toggle] = useOpen(
    props.field,
    found.opens && found.only === undefined,
    props.choice,
  );
  return (
    <FieldFacet
      {...props}
      facet={found.facet}
      coverage={found.coverage}
      only={found.only}
      isOpen={isOpen}
      onToggle={toggle}
    />
  );
}

/** Whether a field shows its values, which is remembered where it is not what it does by itself. */
function useOpen(field: string, opens: boolean, choice: Choice): [boolean, () => void] {
  const [turned, setTurned] = useBrowserState<readonly string[]>({
    key: 'logstead-fields-turned',
    defaultValue: [],
  });
  const isTurned = turned.includes(field);
  const isChosen =
    choice.values.length > 0 || choice.low !== undefined || choice.high !== undefined;
  const toggle = () =>
    setTurned(isTurned ? turned.filter((other) => other !== field) : [...turned, field]);
  return [isTurned !== (opens || isChosen), toggle];
}

function namesOf(
  pinned: readonly string[],
  found: readonly FoundFields[],
  distinct: number,
): number {
  const common = commonFields.filter((field) => found.some((other) => other.field === field));
  const others = pinned.filter((field) => found.every((other) => !isSame(other.field, field)));
  return others.length + common.length + distinct;
}

function NamesBefore() {
  return [72, 56, 64].map((percent) => (
    <Skeleton
      key={percent}
      className={classes.before ?? ''}
      height={8}
      width={`${percent}%`}
      my={8}
      ml={8}
    />
  ));
}
