/**
 * The consequences for later routes and for senders if a route is final, continues, or slows
 * senders down. Pure.
 */
import {
  type Item,
  type ItemPlace,
  type RouterDocument,
  idOf,
  isOff,
  listOf,
  textOf,
  valueAt,
} from '../document';

const NAMES_MAX = 2;
/** The default limit of a queue. */
const QUEUE_SIZE = '1GiB';

/**
 * The later routes that could take messages that a route takes. A fallback never would: it takes
 * only those that no other route took.
 */
export function laterRoutes(document: RouterDocument, { index }: ItemPlace): readonly Item[] {
  return document.routes
    .slice(index + 1)
    .filter((route) => !isOff(route) && route['fallback'] !== true);
}

/** `Instead: messages end here, so default no longer gets them.` */
export function endsText(later: readonly Item[]): string {
  if (later.length === 0) return 'Messages end here. No later route is there to miss them.';
  return `Instead: messages end here, and ${named(later)} no longer ${later.length === 1 ? 'gets' : 'get'} them.`;
}

/** `A copy: default can take them too, and send them to main.` */
export function goesOnText(later: readonly Item[]): string {
  if (later.length === 0) return 'A copy: later routes can take them too. None is there yet.';
  const targets = [...new Set(later.flatMap((route) => listOf(route['to'])))];
  const sent = targets.length === 0 ? '' : `, and send them to ${listed(targets)}`;
  return `A copy: ${named(later)} can take them too${sent}.`;
}

/**
 * The consequence of a target that cannot keep up. `filling` is a target that will soon be full,
 * and the time until then.
 */
export function slowText(
  document: RouterDocument,
  route: Item,
  filling: { id: string; within: string } | undefined,
): string {
  const targets = listOf(route['to']);
  const forwards = document.destinations.filter((one) => targets.includes(idOf(one)));
  const [first] = forwards;
  if (first === undefined) return 'Only affects targets outside Logstead: they have a queue.';
  const full =
    filling !== undefined
      ? `the queue of ${filling.id} is full (in ${filling.within})`
      : forwards.length === 1
        ? `the queue of ${idOf(first)} is full (${textOf(valueAt(first, 'queue.size')) || QUEUE_SIZE})`
        : `the queue of ${listed(forwards.map(idOf), 'or')} is full`;
  return route['flow_control'] !== false
    ? `On: when ${full}, senders wait, also with what goes elsewhere. No message is lost.`
    : `Off: when ${full}, messages for it are dropped and counted. Other targets go on.`;
}

function named(routes: readonly Item[]): string {
  const names = routes.map(idOf);
  const more = names.length - NAMES_MAX;
  return more > 1 ? `${names.slice(0, NAMES_MAX).join(', ')} and ${more} more` : listed(names);
}

function listed(names: readonly string[], glue = 'and'): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${glue} ${last}`;
}
