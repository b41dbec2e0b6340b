/** The panel behind the health dot: problems, the incoming rate, and the amount stored. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { logspacesQuery } from '../api/logspaces';
import type { RouterStatus } from '../api/model';
import {
  type Health as ServerHealth,
  type Sample,
  storedBytes,
  unsealedMessages,
} from '../api/status';
import type { Cause } from '../overview/causes';
import { formatBytes, formatCount, formatRate } from '../ui/number';
import { type HealthState, nameOf } from './healthState';
import { linePath } from './linePath';
import classes from './Health.module.css';

const CAUSES_SHOWN = 4;

type Props = {
  version: string;
  health: ServerHealth | undefined;
  state: HealthState;
  samples: readonly Sample[];
  status: RouterStatus | undefined;
  causes: readonly Cause[];
};

export function HealthPanel({ version, health, state, samples, status, causes }: Props) {
  const newest = samples.at(-1);
  return (
    <>
      <div className={classes.head}>
        <span className={classes.dot} data-state={state} />
        <strong>{nameOf(state, causes)}</strong>
      </div>
      <p className={classes.explanation}>{explain(state, health)}</p>
      {newest !== undefined && (
        <section aria-label="Received">
          <div className="flex spread meta">
            <span>Received in the last 5 minutes</span>
            <span>{formatRate(newest.rate)} msg/s</span>
          </div>
          <RateLine samples={samples} />
        </section>
      )}
      {status !== undefined && <Facts status={status} />}
      {causes.length > 0 && <Causes causes={causes} />}
      <div className="flex spread padTop8 meta lineTop">
        {status !== undefined && (
          <Link className="accent" to="/overview">
            Overview
          </Link>
        )}
        <span className="dimmed">Logstead {version}</span>
      </div>
    </>
  );
}

function Facts({ status }: { status: RouterStatus }) {
  const { data: logspaces } = useQuery(logspacesQuery);
  const waiting = unsealedMessages(status);
  const kept = [...new Set(logspaces?.map(({ retention }) => keptFor(retention)))];
  return (
    <dl className="stack gap4">
      <Fact name="Indexing">
        {waiting === 0 ? 'up to date' : `${formatCount(waiting)} messages behind`}
      </Fact>
      <Fact name="Stored">
        {formatCount(status.logspaces.reduce((sum, { messages }) => sum + messages, 0))} messages,{' '}
        {formatBytes(storedBytes(status))}
      </Fact>
      {kept.length > 0 && <Fact name="Kept">{kept.join('; ')}</Fact>}
    </dl>
  );
}

function keptFor({ age, size }: { age?: string | null; size?: string | null }): string {
  const limits = [age, size].filter((limit) => limit != null);
  return limits.length === 0 ? 'without end' : `up to ${limits.join(' or ')}`;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Causes({ causes }: { causes: readonly Cause[] }) {
  const more = causes.length - CAUSES_SHOWN;
  return (
    <section aria-label="What needs a look">
      <ul className={classes.troubles}>
        {causes.slice(0, CAUSES_SHOWN).map(({ key, tone, who, what }) => (
          <li key={key} data-now={tone === 'bad'}>
            <span className="bold">{who}</span> {what}
          </li>
        ))}
      </ul>
      {more > 0 && <p className="dimmed">and {more} more on the overview</p>}
    </section>
  );
}

function explain(state: HealthState, health: ServerHealth | undefined): string {
  switch (state) {
    case 'checking':
      return 'Its answer is on the way.';
    case 'ready':
      return 'It is recovered, listening, and can write to its data directory.';
    case 'look':
    case 'trouble':
      return 'Messages are received; what is listed below needs a look.';
    case 'not-ready':
      return health?.state === 'not-ready' && health.reasons !== ''
        ? health.reasons
        : 'It does not say why.';
    case 'unreachable':
      return 'Nothing is known of it. Check that it runs, and your connection to it.';
    case 'unknown':
      return 'It answers, and does not say how it is.';
    case 'hidden':
      return 'It receives and stores. How the whole of it is, only those know who have access to all logspaces: ask an administrator.';
  }
}

const WIDTH = 280;
const HEIGHT = 40;

/** A rate over the last minutes as a small line chart. The text next to it gives the numbers. */
export function RateLine({ samples }: { samples: readonly Sample[] }) {
  const { line, area } = linePath(samples, WIDTH, HEIGHT);
  return (
    <svg className={classes.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      <path className={classes.sparkArea} d={area} />
      <path className={classes.sparkLine} d={line} />
    </svg>
  );
}
