/** The current search as an API request. */
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { useIsText } from '../query/explain';
import type { SearchState } from '../searchParams';
import { Code } from './Code';
import { hasStages } from './ask';
import { type Endpoint, curlOf } from './shell';
import { serverUrl } from '../../base';
import { Switcher } from '../../ui/Fields';

type Props = { state: SearchState; onClose: () => void };

export function ApiDialog({ state, onClose }: Props) {
  const isTable = hasStages(state);
  const endpoints: readonly Endpoint[] = isTable
    ? ['aggregate', 'count', 'histogram', 'export']
    : ['search', 'count', 'histogram', 'export'];
  const [endpoint, setEndpoint] = useState<Endpoint>(isTable ? 'aggregate' : 'search');
  const isText = useIsText(state);
  return (
    <Dialog opened onClose={onClose} title="API call" size="xl">
      <Stack gap="md">
        <Switcher
          label="Request"
          value={endpoint}
          texts={labels}
          offered={endpoints}
          onChange={setEndpoint}
        />
        <p>{explanations[endpoint]}</p>
        <Code label="curl command" text={curlOf(serverUrl(), endpoint, state, isText)} />
        <p className="small dimmed">
          First put an API token into LOGSTEAD_TOKEN; an administrator creates one. The request has
          the rights of the token, no matter who sends it.
        </p>
      </Stack>
    </Dialog>
  );
}

const labels: Readonly<Record<Endpoint, string>> = {
  search: 'Messages',
  count: 'Count',
  histogram: 'Over time',
  aggregate: 'Table',
  export: 'Everything',
};

const explanations: Readonly<Record<Endpoint, string>> = {
  search:
    'The newest 100 messages. Send the cursor of the answer with the same request for the next ones.',
  count: 'How many messages match the filter, exactly.',
  histogram: 'How many messages match the filter in each of 60 spans of time.',
  aggregate: 'The table that the stages make, at most 10 000 rows.',
  export:
    'All that matches, as a stream of lines of JSON. The header X-Logstead-Count says how many come.',
};
