/** Whether the server takes messages, how many, and what is wrong: a dot and a rate, and the rest on a click. */
import { Popover, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy } from 'react';
import { healthQuery } from '../api/health';
import { ingestQuery, statusQuery, troublesOf } from '../api/status';
import { formatRate } from '../ui/number';
import { nameOf, stateOf } from './healthState';
import classes from './Health.module.css';

const HealthPanel = lazy(async () => ({
  default: (await import('./HealthPanel')).HealthPanel,
}));

export function Health({ version }: { version: string }) {
  const { data: health } = useQuery(healthQuery);
  const { data: samples = [] } = useQuery(ingestQuery);
  const { data: status } = useQuery({ ...statusQuery, enabled: false });
  const troubles = status === undefined ? [] : troublesOf(status);
  const state = stateOf(health, troubles);
  const newest = samples.at(-1);
  const isHere = state !== 'unreachable' && state !== 'checking';
  const rate = newest === undefined || !isHere ? null : formatRate(newest.rate);
  return (
    <Popover position="right-end" width={320} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          className={classes.opener}
          aria-label={`Health: ${nameOf(state)}${rate === null ? '' : `, ${rate} messages per second`}`}
        >
          <span className={classes.dot} data-state={state} />
          {/* Without a rate the dot says it, and the name of the button. */}
          <span className={classes.rate}>{rate === null ? '–' : `${rate}/s`}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Health" className={classes.panel ?? ''}>
        <Suspense>
          <HealthPanel
            version={version}
            health={health}
            state={state}
            samples={samples}
            status={status}
            troubles={troubles}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
