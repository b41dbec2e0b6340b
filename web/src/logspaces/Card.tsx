/** A logspace at a glance: when it is full comes first. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { LogspaceInfo } from '../api/model';
import { formatBytes } from '../ui/number';
import {
  type FullForecast,
  type Growth,
  changeOf,
  messageBytes,
  storedBytes,
} from './growth/growth';
import { integrityOf } from './integrity';
import { rawBytesQuery } from './queries';
import { limitsOf, retentionText } from './retention/limits';
import type { Check } from './useVerify';
import classes from './Logspaces.module.css';

type Props = {
  info: LogspaceInfo;
  /** Undefined as long as it is not known. */
  growth: Growth | undefined;
  full: FullForecast;
  check: Check;
  isOpen: boolean;
  onOpen: () => void;
};

/** Before the disk is full there has to be time to do something. */
const SOON_DAYS = 30;
/** Within these percents a day is like the others. */
const USUAL_PERCENT = 10;

export function Card({ info, growth, full, check, isOpen, onOpen }: Props) {
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
      <span className={classes.cardTop}>
        <b className={classes.name}>{info.id}</b>
        <span className="dimmed">
          {info.in_router ? retentionText(info.retention) : 'no longer written to'}
        </span>
      </span>
      <span className={classes.cardTop}>
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

/** Parts of its size limit, or of everything it holds. */
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

/** The ratio of messages on disk to messages as they came; measured on the newest of them, so it is approximate. */
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

/** `+12 %`, `−4 %` */
export function signed(percent: number): string {
  if (percent === 0) return '0 %';
  return `${percent < 0 ? '\u2212' : '+'}${Math.abs(percent)} %`;
}

function heldText({ first_time, last_time }: LogspaceInfo): string {
  if (first_time == null || last_time == null) return 'nothing';
  const hours = (Date.parse(last_time) - Date.parse(first_time)) / 3_600_000;
  return hours < 48 ? `${Math.ceil(hours)} h` : `${Math.floor(hours / 24)} d`;
}
