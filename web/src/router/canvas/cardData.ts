/** The data of a card, and the texts about its numbers. */
import type {
  DestinationStatus,
  DocumentProblem,
  DocumentWarning,
  RouterStatus,
} from '../../api/model';
import { formatRate } from '../../ui/number';
import { type Item, type ItemPlace, idOf, isOff } from '../document';
import { type Forecast, aboutSeconds, forecastOf } from './forecast';
import type { Box } from './layout';
import type { MeasuredRates } from './measure';

/** The actions of a card, other than opening it. */
export type CardActions = {
  onToggle: (place: ItemPlace) => void;
  onMove: (place: ItemPlace, to: number) => void;
  onRemove: (place: ItemPlace) => void;
};

export type CardData = {
  item: Item;
  place: ItemPlace;
  box: Box;
  status: RouterStatus | undefined;
  measured: MeasuredRates | undefined;
  problems: readonly DocumentProblem[];
  warnings: readonly DocumentWarning[];
  /** The draft's changes to the item, in words. */
  badges: readonly string[];
  /** The steps of a route that are not live. */
  newSteps: ReadonlySet<number>;
  /** The rate of messages that a route takes. */
  rate: number | undefined;
  /** The rate of messages that each step of a route drops. */
  drops: readonly number[];
  values: readonly number[];
  isShown: boolean;
  /** Whether a traced message passes it; null without a trace. */
  isLit: boolean | null;
  hasSteps: boolean;
  /** The number of items of its kind. */
  count: number;
  onShow: (place: ItemPlace) => void;
  /** Null for users who may only look. */
  actions: CardActions | null;
};

export function destinationOf({ item, place, status }: CardData): DestinationStatus | undefined {
  if (place.section !== 'destinations') return undefined;
  return status?.destinations.find(({ id }) => id === idOf(item));
}

export function isFailing(destination: DestinationStatus | undefined): boolean {
  return (
    destination !== undefined &&
    destination.state !== 'disabled' &&
    (destination.state === 'retrying' || destination.queue_error != null)
  );
}

export function forecastFor(of: DestinationStatus, measured: MeasuredRates | undefined): Forecast {
  const depth = {
    messages: of.queue_messages,
    bytes: of.queue_bytes,
    bytesMax: of.queue_bytes_max,
  };
  return forecastOf(depth, measured?.queues.get(of.id));
}

/** The first of some targets to become full, and the time until then. */
export function fillingOf(
  targets: readonly string[],
  status: RouterStatus | undefined,
  measured: MeasuredRates | undefined,
): { id: string; within: string } | undefined {
  const filling = (status?.destinations ?? []).flatMap((one) => {
    const forecast = forecastFor(one, measured);
    const fills = targets.includes(one.id) && one.state !== 'disabled' && forecast.kind === 'fills';
    return fills ? [{ id: one.id, seconds: forecast.seconds }] : [];
  });
  const [first] = filling.sort((a, b) => a.seconds - b.seconds);
  return first && { id: first.id, within: aboutSeconds(first.seconds) };
}

/**
 * The rate as text; empty until it is known, and for disabled items. Items that exist only in the
 * draft are marked as new.
 */
export function rateText(
  { item, status }: Pick<CardData, 'item' | 'status'>,
  rate: number | null | undefined,
): string {
  return status === undefined || rate === undefined || isOff(item) ? '' : `${formatRate(rate)}/s`;
}
