/**
 * The cards of the canvas. Each is a button that opens its item; a right click, or the key for
 * menus, shows further actions.
 */
import { Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconArrowDown,
  IconArrowUp,
  IconDatabase,
  IconEdit,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnectedX,
  IconSend2,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DestinationStatus, DocumentProblem } from '../../api/model';
import { MenuItem } from '../../ui/MenuItem';
import { formatBytes, formatPart, formatRate, formatShort } from '../../ui/number';
import { useZone } from '../../ui/time';
import { act } from '../destination/destinationQueries';
import { type Item, idOf, isOff, listOf, nouns, textOf } from '../document';
import { problemsOfItem, warningOfRoute } from '../problems';
import { statusQuery } from '../queries';
import { aboutStep, kindOf, stepsOf } from '../steps/steps';
import { itemText, liveOf } from '../itemText';
import { type CardData, destinationOf, forecastFor, isFailing, rateText } from './cardData';
import { Badges, Trouble } from './Badges';
import { forecastText } from './forecast';
import { sinceText } from './since';
import classes from './Canvas.module.css';

export function Card({ data }: { data: CardData }) {
  const { item, place, box, problems, badges, isShown, isLit, onShow, actions } = data;
  const [isOpen, menu] = useDisclosure(false);
  const name = idOf(item) === '' ? 'without a name' : idOf(item);
  const wrong = problemsOfItem(problems, place);
  const destination = destinationOf(data);
  const isDown = !isOff(item) && isFailing(destination);
  return (
    <>
      <button
        type="button"
        className={classes.card}
        style={{ width: box.width, height: box.height }}
        aria-label={`${nouns[place.section]} ${name}`}
        aria-pressed={isShown}
        title={name}
        data-card={`${place.section}-${place.index}`}
        data-bad={wrong.length > 0 || isDown}
        data-off={isOff(item)}
        data-changed={badges.length > 0}
        data-lit={isLit ?? undefined}
        onClick={() => onShow(place)}
        onContextMenu={(event) => {
          if (actions === null) return;
          event.preventDefault();
          menu.open();
        }}
      >
        {place.section === 'routes' ? (
          <RouteCard {...data} name={name} wrong={wrong} />
        ) : (
          <EndCard {...data} name={name} wrong={wrong} />
        )}
      </button>
      {isDown && destination?.state === 'retrying' && actions !== null && (
        <Retry id={destination.id} />
      )}
      {isOpen && <CardMenu {...data} onClose={menu.close} />}
    </>
  );
}

/** Shown on the card, but not inside it: a button must not contain another one. */
function Retry({ id }: { id: string }) {
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: () => act(id, 'retry'),
    onSettled: () => queries.invalidateQueries({ queryKey: statusQuery.queryKey }),
  });
  return (
    <button
      type="button"
      className={classes.retry}
      aria-label={`Try now: ${id}`}
      title={retry.error?.message}
      data-failed={retry.error !== null}
      disabled={retry.isPending}
      onClick={() => retry.mutate()}
    >
      {retry.isPending ? 'Trying…' : 'Retry'}
    </button>
  );
}

function CardMenu({
  item,
  place,
  count,
  actions,
  onShow,
  onClose,
}: CardData & { onClose: () => void }) {
  if (actions === null) return null;
  const { section, index } = place;
  return (
    <Menu
      opened
      onClose={onClose}
      position="bottom-start"
      width={200}
      portalProps={{ target: '#content' }}
    >
      <Menu.Target>
        <span className={classes.menuAnchor} />
      </Menu.Target>
      <Menu.Dropdown aria-label={`${nouns[section]} ${idOf(item)}`}>
        <MenuItem small icon={IconEdit} label="Open" onClick={() => onShow(place)} />
        {section !== 'logspaces' && (
          <MenuItem
            small
            icon={isOff(item) ? IconPlayerPlay : IconPlayerPause}
            label={isOff(item) ? 'Enable' : 'Disable'}
            rightSection={<kbd className="meta dimmed">d</kbd>}
            onClick={() => actions.onToggle(place)}
          />
        )}
        {section === 'routes' && (
          <>
            <MenuItem
              small
              icon={IconArrowUp}
              label="Move up"
              rightSection={<kbd className="meta dimmed">Alt ↑</kbd>}
              disabled={index === 0}
              onClick={() => actions.onMove(place, index - 1)}
            />
            <MenuItem
              small
              icon={IconArrowDown}
              label="Move down"
              rightSection={<kbd className="meta dimmed">Alt ↓</kbd>}
              disabled={index === count - 1}
              onClick={() => actions.onMove(place, index + 1)}
            />
          </>
        )}
        <Menu.Divider />
        <MenuItem
          small
          icon={IconTrash}
          label="Remove"
          color="red"
          onClick={() => actions.onRemove(place)}
        />
      </Menu.Dropdown>
    </Menu>
  );
}

type Props = CardData & { name: string; wrong: readonly DocumentProblem[] };

const STEPS_SHOWN = 4;

/** The card of a route: its place, its filter, its steps, and what they take out. */
function RouteCard(props: Props) {
  const { item, place, rate, drops, warnings, hasSteps, name, wrong, badges } = props;
  const filter = textOf(item['where']).trim();
  const isAll = filter === '' || filter === '*';
  const all = item['fallback'] === true ? 'everything no route took' : 'everything';
  const warning = warningOfRoute(warnings, place.index);
  const steps = stepsOf(item);
  return (
    <>
      <span className={classes.row}>
        <span className={classes.order}>{place.index + 1}</span>
        <b className="truncate read">{name}</b>
        {isOff(item) && !badges.includes('disabled') && <span className={classes.tag}>off</span>}
        <Badges badges={badges} />
        <span className="rigid toEnd bold">{rateText(props, rate)}</span>
      </span>
      <span className={isAll ? classes.about : classes.filter}>{isAll ? all : filter}</span>
      {hasSteps && (
        <span className={classes.row}>
          {steps.slice(0, STEPS_SHOWN).map((step, at) => (
            <span
              key={at}
              className={classes.tag}
              data-new={props.newSteps.has(at)}
              title={`${kindOf(step)} ${aboutStep(step)}`}
            >
              {stepName(step)}
              {(drops[at] ?? 0) > 0 && (
                <span className="dimmed"> −{formatRate(drops[at] ?? 0)}/s</span>
              )}
            </span>
          ))}
          {steps.length > STEPS_SHOWN && <span className={classes.about}>…</span>}
          <span className={classes.about}>{remarks(item).join(' · ')}</span>
          <Trouble wrong={wrong} warning={warning} />
        </span>
      )}
    </>
  );
}

/** The share that the steps do not explain. */
function remarks(item: Item): string[] {
  const to = listOf(item['to']).length === 0 ? ['no target yet'] : [];
  const asReceived = stepsOf(item).length === 0 && to.length === 0 ? ['as received'] : [];
  return [...asReceived, ...to, ...(item['fallback'] === true ? ['fallback'] : [])];
}

/** `parse json`, `mask`: as short as it can be told from others. */
function stepName(step: Item): string {
  const kind = kindOf(step);
  return kind === 'parse' ? `parse ${textOf(step['parse'])}` : kind;
}

/** The card of a source, a logspace or a destination. */
export function EndCard(props: Props) {
  const { item, place, status, values, name, wrong, badges, measured } = props;
  const live = liveOf(status, place.section, idOf(item));
  const destination = destinationOf(props);
  const isDown = isFailing(destination) && !isOff(item);
  const logspace = status?.logspaces.find(({ id }) => id === idOf(item));
  const about = [
    itemText(place, item, []),
    place.section === 'logspaces' && logspace !== undefined && formatBytes(logspace.stored_bytes),
  ];
  const trouble = live?.trouble === 'paused' || live?.trouble === 'disabled';
  return (
    <>
      <span className={classes.row}>
        {place.section === 'logspaces' && <IconDatabase size={15} aria-hidden />}
        {place.section === 'destinations' && <IconSend2 size={15} aria-hidden />}
        <b className="truncate read">{name}</b>
        {isOff(item) && !badges.includes('disabled') && <span className={classes.tag}>off</span>}
        <Badges badges={badges} />
        {isDown ? (
          <span className="inlineRow gap4 padX6 rigid toEnd bold bad badGround round4">
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
function Sparkline({ values }: { values: readonly number[] }) {
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
