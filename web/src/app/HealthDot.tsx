/** One dot that says whether the server takes messages, and why not when it does not. */
import { Popover, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Health, healthQuery } from '../api/health';
import classes from './Shell.module.css';

export function HealthDot({ version }: { version: string }) {
  const { data: health } = useQuery(healthQuery);
  const state = health?.state ?? 'checking';
  return (
    <Popover position="bottom-end" width={280}>
      <Popover.Target>
        <UnstyledButton className={classes.tool} aria-label={`Health: ${nameOf(health)}`}>
          <span className={classes.dot} data-state={state} />
          <span className={classes.healthText}>{nameOf(health)}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <p>{explain(health)}</p>
        <p className="dimmed">Logstead {version}</p>
      </Popover.Dropdown>
    </Popover>
  );
}

function nameOf(health: Health | undefined): string {
  switch (health?.state) {
    case undefined:
      return 'checking';
    case 'ready':
      return 'ready';
    case 'not-ready':
      return 'not ready';
    case 'unreachable':
      return 'unreachable';
  }
}

function explain(health: Health | undefined): string {
  switch (health?.state) {
    case undefined:
      return 'Asking the server.';
    case 'ready':
      return 'The server is recovered, listening, and can write to its data directory.';
    case 'not-ready':
      return health.reasons === '' ? 'The server is not ready.' : health.reasons;
    case 'unreachable':
      return 'The server cannot be reached. Check that it runs, and your connection to it.';
  }
}
