/** The button for help with queries. */
import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { Suspense, lazy, useState } from 'react';
import { fetched } from '../../api/code';
import { useCommands } from '../../ui/commands';
import type { SearchState } from '../searchParams';
import classes from './Help.module.css';

const HelpContent = lazy(async () => ({
  default: (await fetched(() => import('./HelpContent'))).HelpContent,
}));

type Props = { state: SearchState; onUse: (query: string) => void };

export function Help({ state, onUse }: Props) {
  const [opened, setOpened] = useState(false);
  useCommands([{ id: 'query-help', title: 'Query help', keys: 'F1', run: () => setOpened(true) }]);
  const use = (query: string) => {
    setOpened(false);
    onUse(query);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label="Query help (F1)" disabled={opened}>
          <ActionIcon size={32} aria-label="Query help" onClick={() => setOpened(!opened)}>
            <IconHelpCircle size={16} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Query help" className={classes.help ?? ''}>
        {opened && (
          <Suspense>
            <HelpContent state={state} onUse={use} />
          </Suspense>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
