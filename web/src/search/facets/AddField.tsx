/** Puts another field into the sidebar, by its name. */
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import type { SearchState } from '../searchParams';
import { fieldNamesQuery } from './facetQueries';
import classes from './Facets.module.css';

/** The limit of one request. */
const FIELDS_MAX = 32;

type Props = { state: SearchState; onAdd: (field: string) => void };

export function AddField({ state, onAdd }: Props) {
  const id = useId();
  const [text, setText] = useState('');
  const [isUsed, setUsed] = useState(false);
  const [rested] = useDebouncedValue(text.trim(), 200);
  const { data: names = [] } = useQuery({ ...fieldNamesQuery(state, rested), enabled: isUsed });
  const field = text.trim().replaceAll(',', '');
  const isFull = state.facets.length >= FIELDS_MAX;
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    if (field !== '' && !state.facets.includes(field)) onAdd(field);
    setText('');
  };
  return (
    <form className={classes.add} onSubmit={add}>
      <IconPlus size={14} aria-hidden />
      <input
        className={classes.addInput}
        aria-label="Add a field"
        placeholder={isFull ? `At most ${FIELDS_MAX} fields` : 'Add a field'}
        disabled={isFull}
        list={id}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onFocus={() => setUsed(true)}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <datalist id={id}>
        {names
          .filter((name) => !state.facets.includes(name))
          .map((name) => (
            <option key={name} value={name} />
          ))}
      </datalist>
    </form>
  );
}
