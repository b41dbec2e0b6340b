/** Finds a field or a value among all of them. */
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Facet } from '../../api/model';
import { formatCount } from '../../ui/number';
import type { MessageState } from '../messageState';
import { FieldFacet } from './FieldFacet';
import { allValuesQuery, fieldNamesQuery } from './facetQueries';
import { holding } from './facetValues';
import type { FieldProps } from './field';
import { type FoundFields, isSame } from './groups';
import classes from './Facets.module.css';

/** Most fields whose values are searched, and most names that are listed. */
const FIELDS_MAX = 16;
/** Most values of a field that are listed. */
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

export const FieldSearch = { Box, Results };
