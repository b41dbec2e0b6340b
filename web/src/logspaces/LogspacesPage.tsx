/** The logspaces: how large each is, when it is full, what it keeps, and whether it is intact. */
import { Button, Skeleton } from '@mantine/core';
import { IconPlus, IconShieldCheck } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { diskQuery } from '../api/disk';
import { logspacesQuery } from '../api/logspaces';
import type { LogspaceInfo } from '../api/model';
import { sessionQuery } from '../api/session';
import { Empty } from '../ui/Empty';
import { PageLoadError } from '../ui/PageLoadError';
import { useCommands } from '../ui/commands';
import { formatBytes } from '../ui/number';
import { Card } from './Card';
import { Details } from './Details';
import { NewLogspaceDialog } from './change/NewLogspaceDialog';
import { FillTable } from './fills/FillTable';
import { type Growth, growthOf, storedBytes, whenFull } from './growth/growth';
import type { LogspacesState } from './logspacesParams';
import { mayChangeRouter, mayManage } from './permission';
import { hourlyQuery } from './queries';
import { limitsOf } from './retention/limits';
import { useVerify } from './useVerify';
import classes from './Logspaces.module.css';

type Props = {
  state: LogspacesState;
  onChange: (state: LogspacesState, replace?: boolean) => void;
};

export function LogspacesPage({ state, onChange }: Props) {
  const { data: session } = useQuery(sessionQuery);
  const { data: logspaces, error, refetch } = useQuery(logspacesQuery);
  const { data: disk } = useQuery(diskQuery);
  const growths = useGrowths(logspaces ?? []);
  const verify = useVerify();
  const user = session?.user;
  const mayAdd = mayChangeRouter(user);
  const add = () => onChange({ ...state, isAdding: true });
  const checked = (logspaces ?? []).filter(({ id }) => mayManage(user, id)).map(({ id }) => id);
  const details = useRevealed(state.open);
  const full = whenFull(
    (logspaces ?? []).map((info) => ({
      id: info.id,
      bytes: storedBytes(info),
      perDay: growths.get(info.id)?.typical ?? null,
      limits: limitsOf(info.retention),
    })),
    disk?.freeBytes ?? null,
  );
  const sorted = (logspaces ?? []).toSorted(byUse);
  const open = sorted.find(({ id }) => id === state.open) ?? sorted[0];
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1>Logspaces</h1>
        {logspaces !== undefined && (
          <p className="dimmed">{sumText(logspaces, growths, disk?.freeBytes ?? null)}</p>
        )}
        <Tools
          isVerifying={verify.running !== null}
          onVerify={checked.length > 0 ? () => verify.start(checked) : undefined}
          onAdd={mayAdd ? add : undefined}
        />
      </header>
      {error !== null && (
        <PageLoadError
          error={error}
          isFilled={logspaces !== undefined}
          onRetry={() => void refetch()}
        />
      )}
      {logspaces === undefined && error === null && (
        <div className={classes.cards} role="status" aria-label="Loading">
          <Skeleton height={136} />
          <Skeleton height={136} />
          <Skeleton height={136} />
        </div>
      )}
      {logspaces?.length === 0 && (
        <Empty title="There is no logspace that you may search">
          <p>An administrator can grant you some, under Admin.</p>
        </Empty>
      )}
      {logspaces !== undefined && logspaces.length > 0 && (
        <div className={classes.cards}>
          {sorted.map((info) => (
            <Card
              key={info.id}
              info={info}
              growth={growths.get(info.id)}
              full={full.get(info.id) ?? { kind: 'unknown' }}
              check={verify.of(info.id)}
              isOpen={info.id === open?.id}
              onOpen={() => onChange({ ...state, open: info.id })}
            />
          ))}
        </div>
      )}
      {open !== undefined && (
        <div ref={details} className={classes.columns}>
          <Details
            key={open.id}
            info={open}
            growth={growths.get(open.id)}
            tab={state.tab}
            check={verify.of(open.id)}
            user={user ?? null}
            isVerifying={verify.running !== null}
            onVerify={() => verify.start([open.id])}
            onTab={(tab) => onChange({ ...state, open: open.id, tab })}
            onRetired={() => onChange({ ...state, open: null, tab: 'retention' })}
          />
          <FillTable info={open} by={state.by} onBy={(by) => onChange({ ...state, by }, true)} />
        </div>
      )}
      {state.isAdding && mayAdd && (
        <NewLogspaceDialog
          taken={(logspaces ?? []).map(({ id }) => id)}
          onClose={() => onChange({ ...state, isAdding: false })}
          onMade={(id) => onChange({ ...state, isAdding: false, open: id, tab: 'retention' })}
        />
      )}
    </div>
  );
}

type ToolsProps = {
  isVerifying: boolean;
  /** Undefined for those who may not, as is `onAdd`. */
  onVerify: (() => void) | undefined;
  onAdd: (() => void) | undefined;
};

function Tools({ isVerifying, onVerify, onAdd }: ToolsProps) {
  useCommands([
    ...(onAdd === undefined
      ? []
      : [
          { id: 'new-logspace', title: 'New logspace', keys: 'n', words: 'add create', run: onAdd },
        ]),
    ...(onVerify === undefined
      ? []
      : [
          {
            id: 'verify-all',
            title: 'Verify all logspaces',
            words: 'integrity check hash',
            run: onVerify,
          },
        ]),
  ]);
  return (
    <div className="row wrap gap8 toEnd">
      <ul className={classes.legend} aria-label="Colours of the bars">
        <li data-part="blocks">blocks</li>
        <li data-part="index">index</li>
        <li data-part="journal">journal</li>
      </ul>
      {onVerify !== undefined && (
        <Button
          variant="default"
          leftSection={<IconShieldCheck size={16} aria-hidden />}
          loading={isVerifying}
          onClick={onVerify}
        >
          Verify all
        </Button>
      )}
      {onAdd !== undefined && (
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          New logspace
        </Button>
      )}
    </div>
  );
}

/** If the cards are stacked, the details are below the window. */
function useRevealed(open: string | null) {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(open);
  useEffect(() => {
    if (open === before.current) return;
    before.current = open;
    if (window.matchMedia('(max-width: 720px)').matches) place.current?.scrollIntoView();
  }, [open]);
  return place;
}

function useGrowths(logspaces: readonly LogspaceInfo[]): ReadonlyMap<string, Growth> {
  const [now] = useState(Date.now);
  return useQueries({
    queries: logspaces.map(({ id }) => hourlyQuery(id)),
    combine: (answers) =>
      new Map(
        logspaces.flatMap((info, at) => {
          const hourly = answers[at]?.data;
          return hourly === undefined ? [] : [[info.id, growthOf(info, hourly, now)] as const];
        }),
      ),
  });
}

/** `2.1 TiB stored, 1.5 TiB free, 75 GiB a day` */
function sumText(
  logspaces: readonly LogspaceInfo[],
  growths: ReadonlyMap<string, Growth>,
  freeBytes: number | null,
): string {
  const stored = logspaces.reduce((sum, info) => sum + storedBytes(info), 0);
  const perDay = [...growths.values()].reduce((sum, { typical }) => sum + (typical ?? 0), 0);
  return [
    `${formatBytes(stored)} stored`,
    ...(freeBytes === null ? [] : [`${formatBytes(freeBytes)} free on the disk`]),
    ...(perDay > 0 ? [`${formatBytes(Math.round(perDay))} a day`] : []),
  ].join(', ');
}

/** Private ones, and those that are no longer written to, come after the others. */
function byUse(a: LogspaceInfo, b: LogspaceInfo): number {
  return Number(!isUsual(a)) - Number(!isUsual(b)) || storedBytes(b) - storedBytes(a);
}

function isUsual({ id, in_router }: LogspaceInfo): boolean {
  return in_router && !id.startsWith('_');
}
