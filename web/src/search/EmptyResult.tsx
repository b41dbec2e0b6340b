/** Why there is nothing to see, and the next step: widen the search, or send a first message. */
import { Anchor, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LogspaceInfo } from '../api/model';
import { Command } from '../ui/Command';
import { Empty } from '../ui/Empty';
import { curlCommand, loggerCommand } from './firstMessage';
import { listenersQuery } from './queries';
import type { SearchState } from './searchParams';

type Props = {
  state: SearchState;
  logspaces: readonly LogspaceInfo[];
  onChange: (state: SearchState) => void;
};

export function EmptyResult({ state, logspaces, onChange }: Props) {
  const isFirstRun = logspaces.length > 0 && logspaces.every(({ messages }) => messages === 0);
  return isFirstRun ? <FirstRun /> : <NoMatch state={state} onChange={onChange} />;
}

function NoMatch({ state, onChange }: Pick<Props, 'state' | 'onChange'>) {
  const everything = state.query === '' || state.query === '*';
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

function FirstRun() {
  const { data: listeners } = useQuery(listenersQuery);
  return (
    <Empty title="No messages yet">
      <p>Logstead listens. Send a first message from a terminal; it appears here at once:</p>
      <Command label="logger command" text={loggerCommand(listeners ?? [], location.hostname)} />
      <p>or over HTTP, with an API token:</p>
      <Command label="curl command" text={curlCommand(location.origin)} />
      <p className="dimmed">
        Where messages come from and go to is set on the{' '}
        <Anchor href="/router" underline="always">
          Router
        </Anchor>{' '}
        page.
      </p>
    </Empty>
  );
}
