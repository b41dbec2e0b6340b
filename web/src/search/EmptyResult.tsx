/** Why there is nothing to see, and the next step: to widen the search. */
import { Button, Group } from '@mantine/core';
import { Empty } from '../ui/Empty';
import { type SearchState, isEverything } from './searchParams';

type Props = {
  state: SearchState;
  onChange: (state: SearchState) => void;
};

export function EmptyResult({ state, onChange }: Props) {
  const everything = isEverything(state.query);
  return (
    <Empty title={everything ? 'No messages in this time range' : 'No message matches'}>
      <p>
        {everything
          ? 'Messages were received, but none in the chosen time.'
          : 'Every word of a query must be found, whole; wildcards (conn*) match parts of a word.'}
      </p>
      <Group gap={8}>
        {state.range.kind !== 'all' && (
          <Button variant="default" onClick={() => onChange({ ...state, range: { kind: 'all' } })}>
            Search all time
          </Button>
        )}
        {state.logspaces.length > 0 && (
          <Button variant="default" onClick={() => onChange({ ...state, logspaces: [] })}>
            Search all logspaces
          </Button>
        )}
        {!everything && (
          <Button variant="default" onClick={() => onChange({ ...state, query: '' })}>
            Show all messages
          </Button>
        )}
      </Group>
    </Empty>
  );
}
