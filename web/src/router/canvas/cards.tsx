/** What stands on the cards of the canvas. Each is a button that opens its item. */
import {
  IconAlertTriangle,
  IconDatabase,
  IconPlugConnectedX,
  IconSend2,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { DocumentProblem, RouterStatus } from '../../api/model';
import { formatCount, formatRate } from '../../ui/number';
import { formatLength } from '../../ui/time';
import { aboutOf, liveOf } from '../about';
import { type Item, type ItemPlace, idOf, listOf, nounOf, textOf } from '../document';
import { problemsOfItem, warningOfRoute } from '../problems';
import { aboutStep, kindOf, stepsOf } from '../steps/steps';
import { Sparkline } from './Sparkline';
import type { Box } from './layout';
import classes from './Canvas.module.css';

export type CardData = {
  item: Item;
  place: ItemPlace;
  box: Box;
  status: RouterStatus | undefined;
  problems: readonly DocumentProblem[];
  warnings: readonly string[];
  /** Of a route: what it takes. */
  rate: number | undefined;
  /** Of a route: what each of its steps takes out, messages a second. */
  drops: readonly number[];
  values: readonly number[];
  isShown: boolean;
  /** Whether a traced message passes it; null without a trace. */
  isLit: boolean | null;
  hasSteps: boolean;
  onShow: (place: ItemPlace) => void;
};

/** What an error begins with; the form of the destination shows all of it. */
const ADDRESS = /^\S+:\/\/\S+ \([^)]*\): /;

export function Card({ data }: { data: CardData }) {
  const { item, place, box, problems, isShown, isLit, onShow } = data;
  const name = idOf(item) === '' ? 'without a name' : idOf(item);
  const wrong = problemsOfItem(problems, place);
  return (
    <button
      type="button"
      className={classes.card}
      style={{ width: box.width, height: box.height }}
      aria-label={`${nounOf(place.section)} ${name}`}
      aria-pressed={isShown}
      title={name}
      data-card={`${place.section}-${place.index}`}
      data-bad={wrong.length > 0 || isFailing(data)}
      data-off={item['enabled'] === false}
      data-lit={isLit ?? undefined}
      onClick={() => onShow(place)}
    >
      {place.section === 'routes' ? (
        <RouteCard {...data} name={name} wrong={wrong} />
      ) : (
        <EndCard {...data} name={name} wrong={wrong} />
      )}
    </button>
  );
}

type Inner = CardData & { name: string; wrong: readonly DocumentProblem[] };

function RouteCard({ item, place, rate, drops, warnings, status, hasSteps, name, wrong }: Inner) {
  const filter = textOf(item['where']).trim();
  const isAll = filter === '' || filter === '*';
  const all = item['fallback'] === true ? 'everything no route took' : 'everything';
  const warning = warningOfRoute(warnings, idOf(item));
  return (
    <>
      <span className={classes.row}>
        <span className={classes.order}>{place.index + 1}</span>
        <b className={classes.name}>{name}</b>
        {item['enabled'] === false && <span className={classes.tag}>off</span>}
        <span className={classes.rate}>{rateText(rate, status)}</span>
      </span>
      <span className={isAll ? classes.about : classes.filter}>{isAll ? all : filter}</span>
      {hasSteps && (
        <span className={classes.row}>
          {stepsOf(item)
            .slice(0, 4)
            .map((step, at) => (
              <span key={at} className={classes.tag} title={`${kindOf(step)} ${aboutStep(step)}`}>
                {kindOf(step)}
                {(drops[at] ?? 0) > 0 && (
                  <span className={classes.drops}> −{formatRate(drops[at] ?? 0)}/s</span>
                )}
              </span>
            ))}
          {stepsOf(item).length > 4 && <span className={classes.about}>…</span>}
          {listOf(item['to']).length === 0 && <span className={classes.about}>no target yet</span>}
          {item['fallback'] === true && <span className={classes.about}>fallback</span>}
          <Trouble wrong={wrong} warning={warning} />
        </span>
      )}
    </>
  );
}

function EndCard(props: Inner) {
  const { item, place, status, values, name, wrong } = props;
  const live = liveOf(status, place.section, idOf(item));
  const destination = status?.destinations.find(({ id }) => id === idOf(item));
  const fails = isFailing(props);
  const cause = destination?.queue_error ?? destination?.last_error ?? 'cannot be reached';
  return (
    <>
      <span className={classes.row}>
        {place.section === 'logspaces' && <IconDatabase size={15} aria-hidden />}
        {place.section === 'destinations' && <IconSend2 size={15} aria-hidden />}
        <b className={classes.name}>{name}</b>
        {fails ? (
          <span className={classes.down}>
            <IconPlugConnectedX size={14} aria-hidden /> down
          </span>
        ) : (
          <span className={classes.rate}>{rateText(live?.perSecond, status)}</span>
        )}
      </span>
      {!fails && (
        <span className={classes.row}>
          <span className={classes.about}>{aboutOf(place.section, item, [])}</span>
          <Sparkline values={values} />
          {place.section === 'destinations' && destination !== undefined && (
            <span className={classes.queue} data-full={destination.queue_messages > 0}>
              {destination.state === 'paused' && 'paused, '}
              {destination.queue_messages === 0
                ? 'queue empty'
                : `${formatCount(destination.queue_messages)} queued`}
            </span>
          )}
          <Trouble wrong={wrong} warning={live?.trouble} />
        </span>
      )}
      {fails && destination !== undefined && (
        <>
          <span className={classes.cause} title={cause}>
            {cause.replace(ADDRESS, '')}
          </span>
          <span className={classes.meter} aria-hidden="true">
            <span style={{ width: `${share(destination)}%` }} />
          </span>
          <span className={classes.row}>
            <b>{formatCount(destination.queue_messages)} queued</b>
            {wrong.length > 0 && <Trouble wrong={wrong} warning={undefined} />}
            {destination.oldest_ms != null && (
              <span className={classes.rate}>for {formatLength(destination.oldest_ms)}</span>
            )}
          </span>
        </>
      )}
    </>
  );
}

function share({
  queue_bytes: bytes,
  queue_bytes_max: max,
}: {
  queue_bytes: number;
  queue_bytes_max: number;
}) {
  return max === 0 ? 0 : Math.min(100, (100 * bytes) / max);
}

function Trouble(props: { wrong: readonly DocumentProblem[]; warning: string | undefined }) {
  const { wrong, warning } = props;
  if (wrong.length > 0) {
    const text = wrong.length === 1 ? '1 problem' : `${wrong.length} problems`;
    return (
      <Said tone="bad" title={wrong.map(({ message }) => message).join('\n')}>
        {text}
      </Said>
    );
  }
  return warning === undefined ? null : (
    <Said tone="caution" title={warning}>
      {warning}
    </Said>
  );
}

function Said({ tone, title, children }: { tone: string; title: string; children: ReactNode }) {
  return (
    <span className={classes.trouble} data-tone={tone} title={title}>
      <IconAlertTriangle size={14} aria-hidden /> <span>{children}</span>
    </span>
  );
}

function isFailing({ item, place, status }: CardData): boolean {
  const one = status?.destinations.find(({ id }) => id === idOf(item));
  return (
    place.section === 'destinations' &&
    one !== undefined &&
    (one.state === 'retrying' || one.queue_error != null)
  );
}

function rateText(rate: number | undefined, status: RouterStatus | undefined): string {
  if (status === undefined) return '';
  return rate === undefined ? 'draft' : `${formatRate(rate)}/s`;
}
