/** The fields of all matching messages, with their values and how often each occurs. */
import { Button, Drawer, UnstyledButton } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconListDetails, IconSearch } from '@tabler/icons-react';
import { type ReactNode, memo, useEffect, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import classes from './Facets.module.css';
import { type Choice, type FacetsProps, type FieldProps, choiceOf } from './field';
import { IconButton } from '../../ui/IconButton';
import { useBrowserState } from '../../ui/useBrowserState';
import { isRefusal } from '../../api/client';
import type { Facet } from '../../api/model';
import { readingQuery } from '../../api/query';
import { PartLoadError } from '../../ui/PageLoadError';
import { formatCount } from '../../ui/number';
import type { MessageState } from '../messageState';
import { FieldFacet, LinesBefore } from './FieldFacet';
import { allValuesQuery, fieldNamesQuery, foundQuery } from './facetQueries';
import { type FoundFields, commonFields, foundFields, isSame } from './groups';
import { holding } from './facetValues';

/** Memoised, because the page is rendered a dozen times while its answers arrive. */
export const Facets = memo(function Facets(props: FacetsProps) {
  const isNarrow = useMediaQuery('(max-width: 960px), (max-height: 639px)');
  const [isShown, setShown] = useBrowserState({ key: 'logstead-fields', defaultValue: true });
  if (isNarrow) return <Sheet {...props} />;
  if (!isShown) {
    return (
      <UnstyledButton className={classes.opener} onClick={() => setShown(true)}>
        <IconListDetails size={16} aria-hidden />
        <span>Fields</span>
      </UnstyledButton>
    );
  }
  const hide = (
    <IconButton
      icon={IconLayoutSidebarLeftCollapse}
      size={24}
      label="Hide fields"
      onClick={() => setShown(false)}
    />
  );
  return (
    <aside className={classes.sidebar} aria-label="Fields">
      <FieldGroups {...props} action={hide} />
    </aside>
  );
});

/** Replaces the sidebar if there is no room for it. */
function Sheet(props: FacetsProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        className="selfStart rigid"
        leftSection={<IconListDetails size={16} />}
        onClick={open}
      >
        Fields
      </Button>
      <Drawer opened={opened} onClose={close} title="Fields" size={320} padding={12}>
        <div className={classes.sheet}>
          <FieldGroups {...props} />
        </div>
      </Drawer>
    </>
  );
}

/** Number of found fields that are shown initially. */
const SHOWN_MAX = 12;

type Props = FacetsProps & { action?: ReactNode };

/**
 * The fields in three groups: pinned fields, fields of the messages, and all others, which can be
 * searched.
 */
function FieldGroups({ action, ...props }: Props) {
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
            <PartLoadError what="Counts" error={error} onRetry={onRetry} />
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
            <PartLoadError what="Fields" error={found.error} onRetry={() => void found.refetch()} />
            {found.isPending && <LinesBefore indent={8} />}
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

/**
 * Fields that are counted separately are counted again together with all others, but not for every
 * new message.
 */
function useFreshness(facets: FacetsProps['facets'], stale: boolean): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (facets === undefined || stale) return;
    for (const key of ['fields', 'facet'])
      void queryClient.refetchQueries({ queryKey: [key], type: 'active', stale: true });
  }, [facets, stale, queryClient]);
}

/** If the query has an error, there is nothing to count. */
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

/** Whether a field shows its values; remembered if it differs from the default. */
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

/** Maximum number of fields whose values are searched, and of names that are listed. */
const FIELDS_MAX = 16;
/** Maximum number of values listed per field. */
const VALUES_MAX = 8;
const REST_MS = 200;

type BoxProps = { text: string; count: number; onChange: (text: string) => void };

function Box({ text, count, onChange }: BoxProps) {
  return (
    <div className={classes.search}>
      <h2 className={classes.group}>
        All fields
        <span className="toEnd regular">{count > 0 && formatCount(count)}</span>
      </h2>
      <label className={classes.searchBox}>
        <IconSearch size={14} aria-hidden />
        <input
          type="search"
          aria-label="Find a field or a value"
          placeholder="Find a field or a value"
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || text === '') return;
            event.stopPropagation();
            onChange('');
          }}
        />
      </label>
    </div>
  );
}

type ResultsProps = {
  text: string;
  fields: readonly FoundFields[];
  state: MessageState;
  propsOf: (field: string) => FieldProps;
};

function Results({ text, fields, state, propsOf }: ResultsProps) {
  const [rested] = useDebouncedValue(text.trim(), REST_MS);
  const known = [...state.facets, ...fields.map(({ field }) => field)];
  const names = useQuery(fieldNamesQuery(state, rested));
  const values = useQuery(allValuesQuery(state, known.slice(0, FIELDS_MAX)));
  const wanted = rested.toLowerCase();
  const named = [...known, ...(names.data ?? [])]
    .filter((name, at, all) => all.findIndex((other) => isSame(other, name)) === at)
    .filter((name) => name.toLowerCase().includes(wanted))
    .slice(0, FIELDS_MAX);
  const matches = Object.entries(values.data ?? {}).flatMap(([field, facet]) => {
    const found = holding(facet.values, rested).slice(0, VALUES_MAX);
    return found.length > 0 ? [{ field, facet: { ...facet, values: found } as Facet }] : [];
  });
  const isDone = !names.isPending && !values.isPending;
  return (
    <>
      <h2 className={classes.group}>Fields</h2>
      {named.map((field) => (
        <Named key={field} {...propsOf(field)} />
      ))}
      {named.length === 0 && isDone && <p className={classes.note}>No matching fields.</p>}
      <h2 className={classes.group}>Values</h2>
      {matches.map(({ field, facet }) => (
        <FieldFacet key={field} {...propsOf(field)} facet={facet} isOpen isExtract />
      ))}
      {matches.length === 0 && isDone && <p className={classes.note}>No matching values.</p>}
    </>
  );
}

function Named(props: FieldProps) {
  const [isOpen, setOpen] = useState(false);
  const isPinned = props.state.facets.some((other) => isSame(other, props.field));
  return (
    <FieldFacet {...props} isPinned={isPinned} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
  );
}

/** Finds a field or a value among all of them. */
const FieldSearch = { Box, Results };
