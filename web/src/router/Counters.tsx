/** Every counter of the running router, once a second. */
import type { ReactNode } from 'react';
import type {
  DestinationStatus,
  LogspaceStatus,
  QueueLeft,
  RouterStatus,
  SourceStatus,
} from '../api/model';
import { formatBytes, formatCount, formatRate } from '../ui/number';
import { formatAge } from '../ui/time';
import classes from './Counters.module.css';
import { DestinationActions } from './DestinationActions';

type Props = { status: RouterStatus; canEdit: boolean };

export function Counters({ status, canEdit }: Props) {
  return (
    <div className={classes.tables}>
      <CounterTable
        title="Sources"
        heads={[
          'Messages',
          'Per second',
          'Bytes',
          'Connections',
          'Unparsed',
          'Cut',
          'Dropped',
          'Queue',
          'Last seen',
        ]}
        rows={status.sources.map(sourceRow)}
      />
      <CounterTable
        title="Routes"
        heads={['Messages', 'Per second']}
        rows={[
          ...status.routes.map((route) => ({
            id: route.id,
            cells: [formatCount(route.messages), formatRate(route.messages_per_second)],
          })),
          { id: 'taken by no route', cells: [formatCount(status.unrouted_messages), ''] },
        ]}
      />
      <CounterTable
        title="Logspaces"
        heads={['Messages', 'Per second', 'Journal', 'Last message']}
        rows={status.logspaces.map(logspaceRow)}
      />
      {status.destinations.length + status.queues_left.length > 0 && (
        <CounterTable
          title="Destinations"
          heads={[
            'Sent',
            'Per second',
            'Bytes',
            'Dropped',
            'Waiting',
            'Queue',
            'Oldest waits',
            'Refused',
          ]}
          rows={[
            ...status.destinations.map((destination) => destinationRow(destination, canEdit)),
            ...status.queues_left.map(queueLeftRow),
          ]}
        />
      )}
    </div>
  );
}

type Row = {
  id: string;
  about?: string;
  trouble?: string | undefined;
  actions?: ReactNode;
  cells: ReactNode[];
};

function sourceRow(source: SourceStatus): Row {
  const failed = source.listeners.filter(({ state }) => state !== 'listening');
  return {
    id: source.id,
    about: source.listeners.map(({ url }) => url).join(' ') || source.kind,
    trouble:
      failed.map(({ url, state, error }) => `${url}: ${error ?? state}`).join('; ') || undefined,
    cells: [
      formatCount(source.messages),
      formatRate(source.messages_per_second),
      formatBytes(source.bytes),
      formatCount(source.connections),
      formatCount(source.unparsed),
      formatCount(source.truncated),
      dropped(source.dropped),
      queue(source.queue_bytes, source.queue_bytes_max),
      age(source.last_seen),
    ],
  };
}

function logspaceRow(logspace: LogspaceStatus): Row {
  return {
    id: logspace.id,
    trouble: logspace.last_error ?? undefined,
    cells: [
      formatCount(logspace.messages),
      formatRate(logspace.messages_per_second),
      formatBytes(logspace.journal_bytes),
      age(logspace.last_time),
    ],
  };
}

function destinationRow(destination: DestinationStatus, canEdit: boolean): Row {
  const { id, state } = destination;
  return {
    id,
    about: destination.to,
    trouble: destinationTrouble(destination),
    actions: canEdit && <DestinationActions id={id} state={state} />,
    cells: [
      formatCount(destination.messages),
      formatRate(destination.messages_per_second),
      formatBytes(destination.bytes),
      dropped(destination.dropped),
      formatCount(destination.queue_messages),
      queue(destination.queue_bytes, destination.queue_bytes_max),
      wait(destination.oldest_ms),
      formatCount(destination.quarantined),
    ],
  };
}

function destinationTrouble({ state, last_error, queue_error }: DestinationStatus) {
  if (queue_error != null) return queue_error;
  if (state === 'paused') return 'paused';
  return state === 'retrying' ? `retrying: ${last_error ?? 'unreachable'}` : undefined;
}

/** A destination that the document no longer has. */
function queueLeftRow({ id, queue_messages, queue_bytes, oldest_ms, quarantined }: QueueLeft): Row {
  return {
    id,
    trouble: 'not in the router document: its messages wait until it comes back',
    cells: [
      '',
      '',
      '',
      '',
      formatCount(queue_messages),
      formatBytes(queue_bytes),
      wait(oldest_ms),
      formatCount(quarantined),
    ],
  };
}

type TableProps = { title: string; heads: readonly string[]; rows: readonly Row[] };

function CounterTable({ title, heads, rows }: TableProps) {
  return (
    <section className={classes.scroll} tabIndex={0} aria-label={title}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, about, trouble, actions, cells }) => (
            <tr key={id}>
              <th scope="row">
                {id}
                {about !== undefined && <span className={classes.about}>{about}</span>}
                {trouble !== undefined && <span className={classes.trouble}>{trouble}</span>}
                {actions}
              </th>
              {cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The sum, and what it is made of for those who point at it. */
function dropped(reasons: Readonly<Record<string, number>>): ReactNode {
  const entries = Object.entries(reasons).filter(([, count]) => count > 0);
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return '0';
  const parts = entries.map(([reason, count]) => `${formatCount(count)} ${reason}`);
  return <span className={classes.dropped}>{parts.join(', ')}</span>;
}

function queue(bytes: number, bytesMax: number): string {
  return `${formatBytes(bytes)} of ${formatBytes(bytesMax)}`;
}

function wait(milliseconds: number | null | undefined): string {
  return milliseconds == null ? '–' : `${formatRate(milliseconds / 1000)} s`;
}

function age(time: string | null | undefined): string {
  return time == null ? '–' : formatAge(time, Date.now());
}
