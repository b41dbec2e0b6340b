/** The card of a source, a logspace or a destination. */
import { IconDatabase, IconPlugConnectedX, IconSend2 } from '@tabler/icons-react';
import type { DestinationStatus, DocumentProblem } from '../../api/model';
import { formatBytes, formatPart, formatShort } from '../../ui/number';
import { useZone } from '../../ui/time';
import { itemText, liveOf } from '../itemText';
import { idOf, isOff } from '../document';
import { Badges, Trouble } from './Badges';
import { type CardData, destinationOf, forecastFor, isFailing, rateText } from './cardData';
import { forecastText } from './forecast';
import { sinceText } from './since';
import classes from './Canvas.module.css';

type Props = CardData & { name: string; wrong: readonly DocumentProblem[] };

export function EndCard(props: Props) {
  const { item, place, status, values, name, wrong, badges, measured } = props;
  const live = liveOf(status, place.section, idOf(item));
  const destination = destinationOf(props);
  const isDown = isFailing(destination) && !isOff(item);
  const logspace = status?.logspaces.find(({ id }) => id === idOf(item));
  const about = [
    itemText(place.section, item, []),
    place.section === 'logspaces' && logspace !== undefined && formatBytes(logspace.stored_bytes),
  ];
  const trouble = live?.trouble === 'paused' || live?.trouble === 'disabled';
  return (
    <>
      <span className={classes.row}>
        {place.section === 'logspaces' && <IconDatabase size={15} aria-hidden />}
        {place.section === 'destinations' && <IconSend2 size={15} aria-hidden />}
        <b className={classes.name}>{name}</b>
        {isOff(item) && !badges.includes('disabled') && <span className={classes.tag}>off</span>}
        <Badges badges={badges} />
        {isDown ? (
          <span className={classes.down}>
            <IconPlugConnectedX size={14} aria-hidden /> down
          </span>
        ) : (
          <span className="rigid toEnd bold">{rateText(props, live?.perSecond)}</span>
        )}
      </span>
      {isDown && destination !== undefined ? (
        <Down of={destination} measured={measured} wrong={wrong} />
      ) : (
        <span className={classes.row}>
          <span className={classes.about}>{about.filter(Boolean).join(' · ')}</span>
          {!isOff(item) && <Sparkline values={values} />}
          {destination !== undefined && wrong.length === 0 && (
            <Queue of={destination} measured={measured} isOff={isOff(item)} />
          )}
          <Trouble wrong={wrong} warning={trouble || isOff(item) ? undefined : live?.trouble} />
        </span>
      )}
    </>
  );
}

type QueueProps = Pick<CardData, 'measured'> & { of: DestinationStatus };

/** In a word or two: how the queue is doing. */
function Queue(props: QueueProps & { isOff: boolean }) {
  const { of } = props;
  if (of.quarantined === 0) return <Waiting {...props} />;
  // An empty queue alone would look as if all had arrived.
  return (
    <span className={classes.queue} data-full>
      {of.queue_messages > 0 && `${formatShort(of.queue_messages)} waiting, `}
      {formatShort(of.quarantined)} refused
    </span>
  );
}

function Waiting({ of, measured, isOff }: QueueProps & { isOff: boolean }) {
  const waiting = `${formatShort(of.queue_messages)} waiting`;
  if (isOff) {
    const kept = of.queue_messages === 0 ? 'queue empty' : `${formatShort(of.queue_messages)} kept`;
    return <span className={classes.queue}>{kept}</span>;
  }
  const forecast = forecastFor(of, measured);
  const text = forecastText(forecast) || (forecast.kind === 'empty' ? 'queue empty' : waiting);
  const isPaused = of.state === 'paused';
  return (
    <span className={classes.queue} data-full={isPaused || forecast.kind !== 'empty'}>
      {isPaused && 'paused, '}
      {text}
    </span>
  );
}

/** The beginning of an error; the form of the destination shows all of it. */
const ADDRESS = /^\S+:\/\/\S+ \([^)]*\): /;
/** The system's error codes, which say no more than their names. */
const NUMBER = / \(os error \d+\)/;

/** Cause, since when, how much waits, and how long that can go on. */
function Down(props: QueueProps & { wrong: readonly DocumentProblem[] }) {
  const { of, measured, wrong } = props;
  const [zone] = useZone();
  const cause = of.queue_error ?? of.last_error ?? 'cannot be reached';
  const forecast = forecastFor(of, measured);
  const filled = of.queue_bytes_max === 0 ? 0 : Math.min(1, of.queue_bytes / of.queue_bytes_max);
  return (
    <>
      <span className={classes.cause} title={cause}>
        {cause.replace(ADDRESS, '').replace(NUMBER, '')}
      </span>
      <span className={classes.about}>{sinceText(of, zone)}</span>
      <span className={classes.meter} aria-hidden="true">
        <span style={{ width: `${100 * filled}%` }} />
      </span>
      <span className={classes.row}>
        <span className={classes.about}>
          <b>{formatShort(of.queue_messages)}</b> queued
          {of.quarantined > 0 && `, ${formatShort(of.quarantined)} refused`}
        </span>
        <span className="rigid toEnd dimmed">{formatPart(of.queue_bytes, of.queue_bytes_max)}</span>
      </span>
      <span className={classes.row}>
        <span className={classes.forecast} data-unknown={forecast.kind === 'unknown'}>
          {forecastText(forecast)}
        </span>
        <Trouble wrong={wrong} warning={undefined} />
      </span>
    </>
  );
}

const [WIDTH, HEIGHT] = [44, 16];

/** A few numbers as a line, as wide as a word. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const top = Math.max(...values, 1);
  const points = values.map(
    (value, at) =>
      `${((at * WIDTH) / (values.length - 1)).toFixed(1)} ${(HEIGHT - 1 - (value / top) * (HEIGHT - 3)).toFixed(1)}`,
  );
  return (
    <svg className="rigid toEnd" width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path className={classes.under} d={`M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}z`} />
      <path className={classes.line} d={`M${points.join('L')}`} />
    </svg>
  );
}
