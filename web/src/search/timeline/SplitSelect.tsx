/** The field that the bars are broken down by. */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
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
  return (
    <Choice split={state.split} common={common.join()} found={found.join()} onChange={onChange} />
  );
}

type ChoiceProps = Pick<Props, 'onChange'> & {
  split: string;
  /** Names with commas between them: the same text as long as they are the same. */
  common: string;
  found: string;
};

const Choice = memo(function Choice({ split, common, found, onChange }: ChoiceProps) {
  const option = (field: string) => ({ value: field, label: `by ${field}` });
  return (
    <NativeSelect
      aria-label="Break down by"
      className={classes.split ?? ''}
      size="xs"
      value={split}
      onChange={(event) => onChange({ split: event.currentTarget.value })}
      data={[
        { value: '', label: 'total only' },
        ...common.split(',').map(option),
        ...(found === ''
          ? []
          : [{ group: 'In these messages', items: found.split(',').map(option) }]),
      ]}
    />
  );
});
