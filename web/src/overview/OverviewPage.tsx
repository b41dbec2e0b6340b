/**
 * The operator's start page: whether all is well, the problems, and the figures of the last day.
 */
import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconHelpCircle,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type StaleReason, useFreshness } from '../api/freshness';
import type { DestinationStatus, Ledger, RouterStatus, Senders } from '../api/model';
import {
  healthQuery,
  ingestRate,
  statusQuery,
  storedBytes,
  unsealedMessages,
  unusualSendersQuery,
} from '../api/status';
import { Loading } from '../ui/Loading';
import { staleText } from '../ui/staleText';
import { address, follow, useOpen } from '../ui/open';
import { formatLength, formatTime, useZone } from '../ui/time';
import { diskQuery } from '../api/logspaces';
import { Trend } from '../ui/chart/Trend';
import { formatBytes, formatCount, formatPart, formatRate, formatShort } from '../ui/number';
import { NOT_UNDERSTOOD, skippedSum, skippedText } from '../ui/skipped';
import { CAUSES_MAX, type Cause, causesOf, headlineOf, isBad } from './causes';
import { dayQuery } from './overviewQueries';
import classes from './Overview.module.css';

export function OverviewPage() {
  const open = useOpen();
  const [zone] = useZone();
  const status = useQuery(statusQuery);
  const flow = useQuery(dayQuery);
  const senders = useQuery(unusualSendersQuery);
  const known = useFreshness([status, flow, senders]);
  const failed = [status, flow, senders].find(({ error }) => error !== null);
  const isHere = status.data !== undefined && flow.data !== undefined && senders.data !== undefined;
  return (
    <div className={classes.page} onClick={(event) => follow(event, open)}>
      <header className={classes.title}>
        <h1>Overview</h1>
        {known.isKnown && status.data !== undefined && (
          <p className="dimmed">{formatTime(status.data.time, zone).slice(0, 16)}</p>
        )}
      </header>
      {known.isKnown && isHere && (
        <State status={status.data} flow={flow.data} senders={senders.data} />
      )}
      {!known.isKnown && known.why === 'asking' && <Loading heights={[56, 96, 200]} />}
      {!known.isKnown && known.why !== 'asking' && (
        <NotKnown title={staleText(known, zone)} why={known.why} error={failed?.error ?? null} />
      )}
    </div>
  );
}

type NotKnownProps = {
  title: string;
  why: Exclude<StaleReason, 'asking'>;
  error: Error | null;
};

/** Shown instead of outdated figures, which would be mistaken for current ones. */
function NotKnown({ title, why, error }: NotKnownProps) {
  return (
    <section className={classes.health} aria-label="Health">
      <h2>
        <IconHelpCircle className={classes.icon} data-tone="unknown" size={20} aria-hidden />{' '}
        {title}
      </h2>
      <p className="pad8x16 dimmed lineTop">{adviceOf(why, error)}</p>
    </section>
  );
}

function adviceOf(why: Exclude<StaleReason, 'asking'>, error: Error | null): string {
  switch (why) {
    case 'refused':
      return 'An administrator can grant it.';
    case 'failed':
      return `${error?.message ?? ''} It is asked again.`.trim();
    case 'away':
    case 'silent':
      return 'The figures come back by themselves as soon as the server answers.';
  }
}

type StateProps = { status: RouterStatus; flow: Ledger; senders: Senders };

function State({ status, flow, senders }: StateProps) {
  const { data: health } = useQuery(healthQuery);
  const causes = causesOf(status, flow, senders, Date.parse(status.time), health);
  const more = causes.length - CAUSES_MAX;
  return (
    <>
      <section className={classes.health} aria-label="Health">
        <h2>
          {iconOf(causes)} {headlineOf(causes, flow)}
        </h2>
        {causes.length > 0 && (
          <ul>
            {causes.slice(0, CAUSES_MAX).map((cause) => (
              <CauseRow key={cause.key} cause={cause} />
            ))}
          </ul>
        )}
        {more > 0 && <p className="pad8x16 dimmed lineTop">and {more} more on those pages</p>}
      </section>
      <DayFigures status={status} flow={flow} />
      <div className={classes.lists}>
        <LogspaceCard status={status} />
        <DestinationCard status={status} />
        <SenderCard senders={senders} />
      </div>
    </>
  );
}

function CauseRow({ cause: { tone, who, what, effect, href, action } }: { cause: Cause }) {
  return (
    <li data-tone={tone}>
      <span className={classes.what}>
        {tone === 'bad' ? (
          <IconCircleX size={16} aria-hidden />
        ) : (
          <IconAlertTriangle size={16} aria-hidden />
        )}
        <span>
          <strong>{who}</strong> {what}
        </span>
      </span>
      <span className={classes.effect}>{effect}</span>
      <Button component="a" href={href} size="compact-xs">
        {action}
      </Button>
    </li>
  );
}

function iconOf(causes: readonly Cause[]): ReactNode {
  if (causes.length === 0) {
    return <IconCircleCheck className={classes.icon} data-tone="good" size={20} aria-hidden />;
  }
  return isBad(causes) ? (
    <IconCircleX className={classes.icon} data-tone="bad" size={20} aria-hidden />
  ) : (
    <IconAlertTriangle className={classes.icon} data-tone="caution" size={20} aria-hidden />
  );
}

type Props = { status: RouterStatus; flow: Ledger };

/** The figures of the last day, each with a link to the details. */
function DayFigures({ status, flow }: Props) {
  const { total, series } = flow;
  const dropped = sum(Object.values(total.dropped));
  const lost = total.unacknowledged + sum(Object.values(total.lost_before));
  const skipped = skippedSum(total.skipped_bytes);
  const unparsed = sum(status.sources.map((source) => source.unparsed));
  const behind = unsealedMessages(status);
  const { data: disk } = useQuery(diskQuery);
  const used =
    disk == null
      ? ''
      : `, ${formatPart(disk.totalBytes - disk.freeBytes, disk.totalBytes)} of the disk used`;
  return (
    <section className={classes.figures} aria-label="The last 24 hours">
      <Figure
        name="Received"
        value={formatRate(ingestRate(status))}
        unit="/s"
        about={`${formatShort(total.received)} in 24 h`}
        counts={series.map(({ received }) => received)}
        href={address('/search', { q: '*', from: '-24h' })}
      />
      <Figure
        name="Stored"
        value={formatBytes(storedBytes(status))}
        about={`${behind === 0 ? 'all indexed' : `${formatShort(behind)} not sealed yet`}${used}`}
        counts={series.map(({ stored }) => stored)}
        href={address('/logspaces')}
      />
      <Figure
        name="Dropped"
        value={formatShort(dropped)}
        about={dropped === 0 ? 'in 24 h' : 'in 24 h, by rules or for want of room'}
        counts={series.map((point) => sum(Object.values(point.dropped)))}
        href={address('/flow', { from: '-24h' })}
      />
      <Figure
        name="Lost before us"
        value={formatCount(lost)}
        about={lost === 0 ? 'nothing in 24 h' : 'in 24 h: see where'}
        counts={[]}
        isBad={lost > 0}
        href={address('/flow', { from: '-24h' })}
      />
      <Figure
        name="In no message"
        value={formatBytes(skipped)}
        about={skipped === 0 ? 'nothing in 24 h' : `in 24 h: ${skippedText(total.skipped_bytes)}`}
        counts={[]}
        isBad={(total.skipped_bytes[NOT_UNDERSTOOD] ?? 0) > 0}
        href={address('/flow', { from: '-24h' })}
      />
      <Figure
        name="Not recognised"
        value={formatShort(unparsed)}
        about="since the server started"
        counts={[]}
        href={address('/senders', { show: 'unparsed' })}
      />
    </section>
  );
}

type FigureProps = {
  name: string;
  value: string;
  unit?: string;
  about: string;
  counts: readonly number[];
  isBad?: boolean;
  href: string;
};

function Figure({ name, value, unit = '', about, counts, isBad = false, href }: FigureProps) {
  return (
    <a className={classes.figure} href={href} data-bad={isBad}>
      <span className="meta bold">{name}</span>
      <span className={classes.value}>
        {value}
        <small>{unit}</small>
      </span>
      <span className="meta dimmed">{about}</span>
      {counts.length > 1 && <Trend counts={counts} />}
    </a>
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const ROWS = 6;

/** The state of sources, logspaces and other parts in short lists, each linked to its page. */
function LogspaceCard({ status: { logspaces } }: { status: RouterStatus }) {
  return (
    <Card title="Logspaces" href={address('/logspaces')} left={logspaces.length - ROWS}>
      {logspaces.slice(0, ROWS).map(({ id, state, messages, stored_bytes: bytes, ...rest }) => (
        <tr key={id}>
          <th scope="row">{id}</th>
          <td data-tone={state === 'ok' ? 'quiet' : 'bad'}>{state}</td>
          <td>{formatShort(messages)}</td>
          <td>{formatBytes(bytes)}</td>
          <td>{formatRate(rest.messages_per_second)}/s</td>
        </tr>
      ))}
    </Card>
  );
}

export function DestinationCard({ status: { destinations } }: { status: RouterStatus }) {
  return (
    <Card
      title="Destinations"
      href={address('/router', { view: 'list' })}
      left={destinations.length - ROWS}
    >
      {destinations.length === 0 ? (
        <tr>
          <td className="dimmed">Nothing is forwarded.</td>
        </tr>
      ) : (
        destinations.slice(0, ROWS).map((destination) => (
          <tr key={destination.id}>
            <th scope="row">{destination.id}</th>
            <td data-tone={toneOf(destination)}>{stateText(destination)}</td>
            <td>{formatCount(destination.queue_messages)} waiting</td>
            <td data-tone={destination.quarantined > 0 ? 'caution' : 'quiet'}>
              {destination.quarantined > 0 && `${formatCount(destination.quarantined)} refused`}
            </td>
            <td>
              {destination.oldest_ms == null ? '' : `${formatLength(destination.oldest_ms)} old`}
            </td>
          </tr>
        ))
      )}
    </Card>
  );
}

function stateText({ state, quarantined }: DestinationStatus): string {
  switch (state) {
    case 'retrying':
      return 'down';
    case 'ok':
      return quarantined > 0 ? 'refuses' : 'ok';
    case 'idle':
    case 'paused':
    case 'disabled':
      return state;
  }
}

function toneOf({ state, quarantined }: DestinationStatus): 'bad' | 'caution' | 'quiet' {
  if (state === 'retrying') return 'bad';
  return quarantined > 0 ? 'caution' : 'quiet';
}

function SenderCard({ senders }: { senders: Senders }) {
  const kinds = [
    ['Silent', 'silent', senders.senders.filter(({ silent }) => silent)],
    ['Skewed', 'skewed', senders.senders.filter(({ skewed }) => skewed)],
    ['New today', 'new', senders.senders.filter((sender) => sender.new)],
  ] as const;
  return (
    <Card title="Senders" href={address('/senders')} left={0}>
      <tr>
        <th scope="row">Known</th>
        <td>{formatCount(senders.total)}</td>
        <td />
      </tr>
      {kinds.map(([name, show, hosts]) => (
        <tr key={show}>
          <th scope="row">
            <a href={address('/senders', { show })}>{name}</a>
          </th>
          <td data-tone={hosts.length > 0 && show !== 'new' ? 'caution' : 'quiet'}>
            {formatCount(hosts.length)}
          </td>
          <td className={classes.names}>
            {hosts
              .slice(0, 4)
              .map(({ host }) => host)
              .join(', ')}
          </td>
        </tr>
      ))}
    </Card>
  );
}

type CardProps = { title: string; href: string; left: number; children: ReactNode };

function Card({ title, href, left, children }: CardProps) {
  return (
    <section className={classes.card} aria-label={title}>
      <div className={classes.cardHead}>
        <h2>{title}</h2>
        <a href={href}>{left > 0 ? `All, ${left} more` : 'All'}</a>
      </div>
      <div className="scrollX">
        <table>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}
