/** Which field the bars are broken down by. */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { foundQuery } from '../../messages/facets/facetQueries';
import type { SearchState } from '../searchParams';
import classes from './Timeline.module.css';

const FIELDS = ['severity', 'host', 'program', 'facility', 'source', 'logspace'];

type Props = { state: SearchState; onChange: (part: Partial<SearchState>) => void };

export function SplitSelect({ state, onChange }: Props) {
  // Those of the messages are known already where the sidebar is open.
  const { data } = useQuery({ ...foundQuery(state), enabled: false });
  const common = [...new Set([...FIELDS, ...state.facets, state.split])].filter(Boolean);
  const found = (data?.fields ?? [])
    .map(({ name }) => name)
    .filter((name) => !common.includes(name));
  const option = (field: string) => ({ value: field, label: `by ${field}` });
  return (
    <NativeSelect
      aria-label="Break down by"
      className={classes.split ?? ''}
      size="xs"
      value={state.split}
      onChange={(event) => onChange({ split: event.currentTarget.value })}
      data={[
        { value: '', label: 'total only' },
        ...common.map(option),
        ...(found.length > 0 ? [{ group: 'In these messages', items: found.map(option) }] : []),
      ]}
    />
  );
}
