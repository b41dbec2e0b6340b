/** Whether the server takes messages, how many, and what is wrong: a dot and a rate, and the rest on a click. */
import { Popover, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy } from 'react';
import { fetched } from '../api/code';
import { AGE_MAX_MS, type Freshness, useFreshness } from '../api/freshness';
import type { RouterStatus } from '../api/model';
import { healthQuery, ingestQuery, statusQuery, unusualSendersQuery } from '../api/status';
import { type Cause, causesOf } from '../overview/causes';
import { dayQuery } from '../overview/overviewQueries';
import { formatRate } from '../ui/number';
import { nameOf, stateOf } from './healthState';
import classes from './Health.module.css';

const HealthPanel = lazy(async () => ({
  default: (await fetched(() => import('./HealthPanel'))).HealthPanel,
}));

/** Figures of the whole store change slowly, so the rail asks for them less often than the overview. */
const SLOW_POLL_MS = 60_000;

export function Health({ version }: { version: string }) {
  const { data: health } = useQuery(healthQuery);
  const { data: samples = [], error } = useQuery(ingestQuery);
  const status = useQuery({ ...statusQuery, enabled: false });
  const isNow = useFreshness([{ ...status, error }]);
  const [causes, isAll] = useCauses(status.data);
  const state = stateOf(health, isNow.isKnown ? isAll : isNow, causes);
  const name = nameOf(state, causes);
  const newest = samples.at(-1);
  const rate = newest === undefined || !isNow.isKnown ? null : formatRate(newest.rate);
  return (
    <Popover position="right-end" width={320} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          className={classes.opener}
          aria-label={`Health: ${name}${rate === null ? '' : `, ${rate} messages per second`}`}
        >
          <span className={classes.name}>{name}</span>
          <span className={classes.now}>
            <span className={classes.dot} data-state={state} />
            <span className={classes.rate}>{rate === null ? '–' : `${rate}/s`}</span>
          </span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Health" className={classes.panel ?? ''}>
        <Suspense>
          <HealthPanel
            version={version}
            health={health}
            state={state}
            samples={isNow.isKnown ? samples : []}
            status={isNow.isKnown ? status.data : undefined}
            causes={isNow.isKnown ? causes : []}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The causes on the overview, and whether these are all. */
function useCauses(status: RouterStatus | undefined): [readonly Cause[], Freshness] {
  const slowly = { enabled: status !== undefined, refetchInterval: SLOW_POLL_MS, retry: false };
  const flow = useQuery({ ...dayQuery, ...slowly });
  const senders = useQuery({ ...unusualSendersQuery, ...slowly });
  const known = useFreshness([flow, senders], SLOW_POLL_MS + AGE_MAX_MS);
  if (status === undefined) return [[], known];
  return [causesOf(status, flow.data, senders.data, Date.parse(status.time)), known];
}
