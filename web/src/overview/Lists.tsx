/** The state of the parts in short lists, each leading to its page. */
import type { ReactNode } from 'react';
import type { DestinationStatus, RouterStatus, Senders } from '../api/model';
import { formatBytes, formatCount, formatRate, formatShort } from '../ui/number';
import { formatLength } from '../ui/time';
import classes from './Overview.module.css';
import { address } from '../ui/open';

const ROWS = 6;

export function LogspaceCard({ status: { logspaces } }: { status: RouterStatus }) {
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

export function SenderCard({ senders }: { senders: Senders }) {
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
