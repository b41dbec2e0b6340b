/** The operator's first page: whether all is well, what is not, and the figures of the last day. */
import { Button, Skeleton } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconHelpCircle,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { healthQuery } from '../api/health';
import { type StaleReason, useFreshness } from '../api/freshness';
import type { Ledger, RouterStatus, Senders } from '../api/model';
import { unusualSendersQuery } from '../api/senders';
import { statusQuery } from '../api/status';
import { staleText } from '../ui/staleText';
import { follow, useOpen } from '../ui/open';
import { formatTime, useZone } from '../ui/time';
import { DayFigures } from './DayFigures';
import { DestinationCard, LogspaceCard, SenderCard } from './Lists';
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
      {!known.isKnown && known.why === 'asking' && <Loading />}
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

/** Figures from before would be read as those of now, so there are none. */
function NotKnown({ title, why, error }: NotKnownProps) {
  return (
    <section className={classes.health} aria-label="Health">
      <h2>
        <IconHelpCircle className={classes.icon} data-tone="unknown" size={20} aria-hidden />{' '}
        {title}
      </h2>
      <p className={classes.more}>{adviceOf(why, error)}</p>
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
        {more > 0 && <p className={classes.more}>and {more} more on those pages</p>}
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
      <Button component="a" href={href} variant="default" size="compact-xs">
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

function Loading() {
  return (
    <div className="stack gap12" role="status" aria-label="Loading">
      <Skeleton height={56} />
      <Skeleton height={96} />
      <Skeleton height={200} />
    </div>
  );
}
