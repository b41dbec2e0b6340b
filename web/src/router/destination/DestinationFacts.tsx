/** The state of a running destination, above its form. */
import type { DestinationStatus } from '../../api/model';
import { Notice } from '../../ui/Notice';
import { formatBytes, formatCount, formatMessages, formatRate } from '../../ui/number';
import { formatLength, useZone } from '../../ui/time';
import { forecastFor } from '../canvas/cardData';
import { forecastText } from '../canvas/forecast';
import type { MeasuredRates } from '../canvas/measure';
import { sinceText } from '../canvas/since';
import type { DestinationTask } from '../routerParams';
import { DestinationActions } from './DestinationActions';
import classes from './Destination.module.css';

type Props = {
  destination: DestinationStatus;
  measured?: MeasuredRates | undefined;
  canEdit: boolean;
  onOpen: (task: DestinationTask) => void;
};

export function DestinationFacts({ destination, measured, canEdit, onOpen }: Props) {
  const { queue_messages, queue_bytes, queue_bytes_max, oldest_ms, quarantined } = destination;
  const forecast =
    destination.state === 'disabled' ? '' : forecastText(forecastFor(destination, measured));
  const dropped = Object.entries(destination.dropped).filter(([, count]) => count > 0);
  return (
    <section className={classes.facts} aria-label={`State of ${destination.id}`}>
      <State {...destination} />
      <dl>
        <Fact name="Sends">
          {formatRate(destination.messages_per_second)}/s, {formatCount(destination.messages)} so
          far
        </Fact>
        <Fact name="Waiting">
          {formatMessages(queue_messages)}, {formatBytes(queue_bytes)} of{' '}
          {formatBytes(queue_bytes_max)}
          {forecast !== '' && `, ${forecast}`}
        </Fact>
        {oldest_ms != null && <Fact name="Oldest waits">{formatLength(oldest_ms)}</Fact>}
        {quarantined > 0 && <Fact name="Refused">{formatMessages(quarantined)}</Fact>}
        {dropped.length > 0 && (
          <Fact name="Dropped">
            {dropped.map(([reason, count]) => `${formatCount(count)} ${reason}`).join(', ')}
          </Fact>
        )}
      </dl>
      {canEdit && <DestinationActions destination={destination} onOpen={onOpen} />}
    </section>
  );
}

function State(destination: DestinationStatus) {
  const { state, last_error, queue_error } = destination;
  const [zone] = useZone();
  if (queue_error != null) {
    return (
      <Notice tone="error" title="Nothing more can be queued">
        {queue_error}
      </Notice>
    );
  }
  switch (state) {
    case 'retrying':
      return (
        <Notice tone="error" title="Cannot be reached; messages wait">
          {last_error}
          {destination.failing_since != null && <p>{sinceText(destination, zone)}</p>}
        </Notice>
      );
    case 'disabled':
      return (
        <Notice tone="caution" title="Disabled; nothing is sent, and nothing more is queued" />
      );
    case 'paused':
      return (
        <Notice tone="caution" title="Paused; messages wait">
          {destination.paused_because}
        </Notice>
      );
    case 'ok':
    case 'idle':
      return last_error == null ? null : (
        <p className="breakAnywhere small dimmed">Last error, over by now: {last_error}</p>
      );
  }
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
