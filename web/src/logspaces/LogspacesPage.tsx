/**
 * The logspaces: the size of each, when it will be full, its retention, and whether it is intact.
 */
import { Button, Skeleton } from '@mantine/core';
import { IconPlus, IconShieldCheck } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Switcher } from '../ui/Fields';
import { Table, UnseenHead } from '../ui/Table';
import { diskQuery, logspacesQuery } from '../api/logspaces';
import type { LogspaceInfo } from '../api/model';
import { sessionQuery } from '../api/session';
import { Empty } from '../ui/Empty';
import { PageLoadError, PartLoadError } from '../ui/PageLoadError';
import { useCommands } from '../ui/commands';
import { formatBytes } from '../ui/number';
import { Details } from './Details';
import { NewLogspaceDialog } from './change/NewLogspaceDialog';
import {
  type FullForecast,
  type Growth,
  changeOf,
  growthOf,
  messageBytes,
  storedBytes,
  whenFull,
} from './growth/growth';
import { JobTable } from './jobs/JobTable';
import { type Check, checkOf } from './jobs/checks';
import { useUpkeep } from './jobs/useUpkeep';
import { type FillField, type LogspacesState } from './logspacesParams';
import { mayChangeRouter, mayManage } from './permission';
import { fillsQuery, hourlyQuery, rawBytesQuery } from './queries';
import { limitsOf, retentionText } from './retention/limits';
import { fillRows } from './fills/fillRows';
import { integrityOf } from './integrity';
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
  const upkeep = useUpkeep();
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
          isVerifying={upkeep.isVerifying}
          onVerify={checked.length > 0 ? () => upkeep.start('verify', checked) : undefined}
          onAdd={mayAdd ? add : undefined}
        />
      </header>
      <PageLoadError
        error={error}
        isFilled={logspaces !== undefined}
        onRetry={() => void refetch()}
      />
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
              check={checkOf(upkeep.jobs, upkeep.work, info.id)}
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
            user={user ?? null}
            upkeep={upkeep}
            onTab={(tab) => onChange({ ...state, open: open.id, tab })}
            onRetired={() => onChange({ ...state, open: null, tab: 'retention' })}
          />
          <FillTable info={open} by={state.by} onBy={(by) => onChange({ ...state, by }, true)} />
        </div>
      )}
      <JobTable jobs={upkeep.jobs} />
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
  /** Undefined for users without the permission, like `onAdd`. */
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
          leftSection={<IconShieldCheck size={16} aria-hidden />}
          loading={isVerifying}
          onClick={onVerify}
        >
          Verify all
        </Button>
      )}
      {onAdd !== undefined && (
        <Button variant="filled" leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          New logspace
        </Button>
      )}
    </div>
  );
}

/** Scrolls to the details, which are below the window if the cards are stacked. */
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

/** A summary such as `2.1 TiB stored, 1.5 TiB free, 75 GiB a day`. */
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

/** Private logspaces, and those that are no longer written to, come after the others. */
function byUse(a: LogspaceInfo, b: LogspaceInfo): number {
  return Number(!isUsual(a)) - Number(!isUsual(b)) || storedBytes(b) - storedBytes(a);
}

function isUsual({ id, in_router }: LogspaceInfo): boolean {
  return in_router && !id.startsWith('_');
}

type FillTableProps = { info: LogspaceInfo; by: FillField; onBy: (by: FillField) => void };

const NOTABLE_PERCENT = 25;

/** The hosts or programs that fill a logspace, and the change in their amounts. */
function FillTable({ info, by, onBy }: FillTableProps) {
  const { data, error, refetch, isPlaceholderData } = useQuery(fillsQuery(info.id, by));
  const rows = data === undefined ? [] : fillRows(data);
  const most = Math.max(...rows.map(({ count }) => count), 1);
  const each = messageBytes(info);
  return (
    <section className="minWidth0 panel round10" aria-label={`What fills ${info.id}`}>
      <div className={classes.boxHead}>
        <h2>What fills {info.id}</h2>
        <Switcher
          label="Listed by"
          value={by}
          texts={{ host: 'Host', program: 'Program' }}
          onChange={onBy}
        />
      </div>
      {error !== null && (
        <div className={classes.boxBody}>
          <PartLoadError what={`The ${by}s`} error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && (
        <div className={classes.boxBody} role="status" aria-label="Loading">
          <Skeleton height={200} />
        </div>
      )}
      {data !== undefined && rows.length === 0 && (
        <p className="pad12x16 dimmed">No message in it names a {by}.</p>
      )}
      {rows.length > 0 && (
        <div
          className={classes.scroll}
          data-old={isPlaceholderData}
          tabIndex={0}
          role="group"
          aria-label={`The fullest ${by}s`}
        >
          <Table
            heads={[
              <th scope="col">{by === 'host' ? 'Host' : 'Program'}</th>,
              <UnseenHead label="Share" />,
              <th scope="col" title="by the number of messages">
                About
              </th>,
              <th scope="col" title="compared with the seven days before">
                7 days
              </th>,
            ]}
          >
            {rows.map(({ value, count, change }) => (
              <tr key={value}>
                <th scope="row" title={value}>
                  {value}
                </th>
                <td className={classes.trackCell}>
                  <span className="meter" aria-hidden>
                    <span style={{ width: `${(100 * count) / most}%` }} />
                  </span>
                </td>
                <td>{formatBytes(Math.round(count * each))}</td>
                <td data-tone={change !== null && change > NOTABLE_PERCENT ? 'warn' : undefined}>
                  {change === null ? '–' : signed(change)}
                </td>
              </tr>
            ))}
          </Table>
        </div>
      )}
    </section>
  );
}

type CardProps = {
  info: LogspaceInfo;
  /** Undefined while it is not known. */
  growth: Growth | undefined;
  full: FullForecast;
  check: Check;
  isOpen: boolean;
  onOpen: () => void;
};

/** If the disk is full within this many days, it is time to act. */
const SOON_DAYS = 30;
/** A day within this percentage of the average counts as usual. */
const USUAL_PERCENT = 10;

/** A logspace at a glance, with the time when it will be full first. */
function Card({ info, growth, full, check, isOpen, onOpen }: CardProps) {
  const bytes = storedBytes(info);
  const integrity = integrityOf(info, check);
  return (
    <button
      type="button"
      className={classes.card}
      aria-pressed={isOpen}
      aria-label={`${info.id}, ${formatBytes(bytes)}`}
      onClick={onOpen}
    >
      <span className="flex wrap spread alignBaseline gapX8">
        <b className={classes.name}>{info.id}</b>
        <span className="dimmed">
          {info.in_router ? retentionText(info.retention) : 'no longer written to'}
        </span>
      </span>
      <span className="flex wrap spread alignBaseline gapX8">
        <Lead full={full} isWritten={info.in_router} />
        <b>{formatBytes(bytes)}</b>
      </span>
      <Parts info={info} />
      <span className={classes.facts}>
        <Fact name="Held">{heldText(info)}</Fact>
        <Fact name="Ratio">
          <Ratio info={info} />
        </Fact>
        <Fact name="24 h">
          <Today growth={growth} />
        </Fact>
        <span className={classes.fact} data-tone={integrity.tone}>
          <span className="unseen">Integrity: </span>
          {integrity.text}
        </span>
      </span>
    </button>
  );
}

function Lead({ full, isWritten }: { full: FullForecast; isWritten: boolean }) {
  if (!isWritten) return <span className="dimmed">does not grow</span>;
  switch (full.kind) {
    case 'unknown':
      return <span className="dimmed">not enough history</span>;
    case 'at-limit':
      return (
        <span>
          <b className={classes.days}>at its limit</b>
        </span>
      );
    case 'never':
      return (
        <span>
          <b className={classes.days}>&gt; 10 y</b> until full
        </span>
      );
    case 'days':
      return (
        <span>
          <b
            className={classes.days}
            data-tone={full.by === 'disk' && full.days < SOON_DAYS ? 'warn' : undefined}
          >
            {full.days > 365 ? '> 1 y' : `${full.days} d`}
          </b>{' '}
          until {full.by === 'disk' ? 'the disk is full' : 'full'}
        </span>
      );
  }
}

/** The parts of a logspace, relative to its size limit or to its total size. */
function Parts({ info }: { info: LogspaceInfo }) {
  const whole = Math.max(limitsOf(info.retention).sizeBytes ?? 0, storedBytes(info), 1);
  const widthOf = (bytes: number) => ({ width: `${(100 * bytes) / whole}%` });
  return (
    <span className={classes.parts} aria-hidden>
      <span data-part="blocks" style={widthOf(info.blocks_bytes)} />
      <span data-part="index" style={widthOf(info.index_bytes)} />
      <span data-part="journal" style={widthOf(info.journal_bytes)} />
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className={classes.fact}>
      <span className="dimmed">{name}</span> <span>{children}</span>
    </span>
  );
}

/**
 * The ratio of the size of messages on disk to that as received; measured on the newest ones, so it
 * is approximate.
 */
function Ratio({ info }: { info: LogspaceInfo }) {
  const { data: raw } = useQuery(rawBytesQuery(info.id));
  const each = messageBytes(info);
  if (raw == null || each === 0) return <>–</>;
  return <>≈ {(raw / each).toFixed(1)}×</>;
}

function Today({ growth }: { growth: Growth | undefined }) {
  if (growth === undefined) return <>…</>;
  const change = changeOf(growth);
  return (
    <>
      {formatBytes(Math.round(growth.today))}{' '}
      {change !== null && (
        <span
          data-tone={change > USUAL_PERCENT ? 'warn' : 'quiet'}
          title="compared with the middle one of the days before"
        >
          {signed(change)}
        </span>
      )}
    </>
  );
}

/** A signed percentage, such as `+12 %` or `−4 %`. */
function signed(percent: number): string {
  if (percent === 0) return '0 %';
  return `${percent < 0 ? '\u2212' : '+'}${Math.abs(percent)} %`;
}

function heldText({ first_time, last_time }: LogspaceInfo): string {
  if (first_time == null || last_time == null) return 'nothing';
  const hours = (Date.parse(last_time) - Date.parse(first_time)) / 3_600_000;
  return hours < 48 ? `${Math.ceil(hours)} h` : `${Math.floor(hours / 24)} d`;
}
