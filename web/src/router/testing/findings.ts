/**
 * The findings of a test: what went wrong, why, and what to do about it before the draft is applied. Pure: they state
 * nothing that the test did not measure.
 */
import { formatCount, formatMessages } from '../../ui/number';
import {
  type Item,
  type ItemPlace,
  type RouterDocument,
  idOf,
  isObject,
  listOf,
  textOf,
} from '../document';
import { type Edit, freeId } from '../draft/edits';
import { kindOf, stepsOf } from '../steps/steps';
import { droppedBy, isDropped, isUnrouted, nameOf } from '../../ui/trace/targets';
import { type Cell, type Documents, type Matrix, isOldStep, lostTargets } from './outcome';
import type { RouteReport, TestReport } from './wire';

type Tone = 'error' | 'caution';

/** A change of the draft that solves the problem. */
export type Fix = { label: string; edits: readonly Edit[] };

export type Finding = {
  id: string;
  tone: Tone;
  /** The consequence in one sentence. */
  title: string;
  /** The reason. */
  text: string;
  messages: number;
  fix: Fix | null;
  /** The place to look at in the draft, and in the test. */
  place: { item: ItemPlace; step: number | null } | null;
  cell: { row: string; column: string } | null;
};

const FINDINGS_MAX = 50;

/**
 * The findings, the worst first. `isNarrow`: only messages that the user chose were tested, which
 * need not reach every target.
 */
export function findingsOf(
  report: TestReport,
  matrix: Matrix,
  documents: Documents,
  isNarrow = false,
): Finding[] {
  const cells = [...matrix.cells.values()].flatMap((row) => [...row.values()]);
  const found = [
    ...cells.flatMap((cell) => ofCell(cell, documents)),
    ...report.routes.flatMap((route) => ofRoute(route, { report, cells, isNarrow }, documents)),
    ...ofParsing(report, documents),
  ];
  const weight = ({ tone }: Finding) => (tone === 'error' ? 0 : 1);
  return found
    .sort((a, b) => weight(a) - weight(b) || b.messages - a.messages)
    .slice(0, FINDINGS_MAX);
}

function ofCell(cell: Cell, documents: Documents): Finding[] {
  const dropped = cell.after.map(droppedBy).find((at) => at !== null);
  if (dropped !== undefined) {
    const found = takenOutBy(cell, dropped, documents);
    return found === null ? [] : [found];
  }
  if (cell.after.some(isUnrouted)) return [nowhere(cell, documents)];
  return cell.kind === 'lost' ? [elsewhere(cell, documents)] : [];
}

type Dropped = { route: string; step: number };

/** A step drops messages that another step has changed, or more messages than before. */
function takenOutBy(cell: Cell, at: Dropped, { live, draft }: Documents): Finding | null {
  const place = placeOf(draft, at.route, at.step);
  const steps = stepsOf(draft.routes[place?.item.index ?? -1] ?? {});
  const own = steps[at.step - 1];
  if (place === null || own === undefined) return null;
  const kind = kindOf(own);
  const cause = cell.steps
    .filter(({ route, step }) => route === at.route && step < at.step)
    .filter(({ step }) => changes(steps[step - 1] ?? {}, compared(own)))
    .sort((a, b) => b.changed - a.changed)[0];
  const isNew = cell.kind !== 'lost';
  // If a new step drops messages in the form in which they arrived, this is on purpose.
  if (isNew && cause === undefined) return null;
  // Messages that are already dropped are nothing new in the draft.
  if (isDropped(cell.before) && cell.kind === 'same' && isOldStep({ live, draft }, at)) return null;
  const count = cause === undefined ? cell.count : cause.changed;
  const title = isNew
    ? `${kind} drops ${formatMessages(count)} that ${cause?.kind ?? ''} changed first.`
    : `${formatMessages(count)} ${count === 1 ? 'reaches' : 'reach'} ${namesOf(lostTargets(cell))} no more.`;
  return {
    ...{ id: `taken-out:${at.route}/${at.step}:${cell.row}`, tone: isNew ? 'caution' : 'error' },
    title,
    text:
      cause === undefined
        ? `${kind} in step ${at.step} of ${at.route} drops them. That step is as it is live.`
        : why(kind, at, cause),
    messages: count,
    fix:
      cause === undefined
        ? null
        : {
            label: `Move ${kind} before ${cause.kind}`,
            edits: [
              {
                type: 'set',
                place: place.item,
                key: 'steps',
                value: moved(steps, at.step - 1, cause.step - 1),
              },
            ],
          },
    place,
    cell,
  };
}

function why(kind: string, at: Dropped, cause: { kind: string; step: number }): string {
  const where = `step ${at.step} of ${at.route}`;
  if (kind === 'dedup')
    return `${cause.kind} in step ${cause.step} can make different messages look alike, and dedup in ${where} drops what looks alike.`;
  return `${cause.kind} in step ${cause.step} changes what ${kind} in ${where} goes by.`;
}

function moved(steps: readonly Item[], from: number, to: number): Item[] {
  const step = steps[from];
  return step === undefined ? [...steps] : steps.toSpliced(from, 1).toSpliced(to, 0, step);
}

/** The finding for messages that no route takes. */
function nowhere(cell: Cell, { draft }: Documents): Finding {
  const isNews = cell.kind === 'lost';
  const all = formatMessages(cell.count);
  const before = mostly(cell.taken.before);
  const place = before === undefined ? null : placeOf(draft, before, null);
  const route = place === null ? undefined : draft.routes[place.item.index];
  const targets = isNews
    ? lostTargets(cell).map(nameOf)
    : [idOf(draft.logspaces[0] ?? {})].filter((id) => id !== '');
  const ids = new Set([...draft.logspaces, ...draft.destinations].map(idOf));
  const to = targets.filter((id) => ids.has(id));
  const isOff = route?.['enabled'] === false;
  const fallback: Fix | null =
    to.length === 0
      ? null
      : {
          label: `Add a fallback route to ${to.join(' and ')}`,
          edits: [
            {
              type: 'add',
              section: 'routes',
              item: { id: freeId(draft, 'rest'), fallback: true, to },
            },
          ],
        };
  return {
    ...{ id: `nowhere:${cell.row}`, tone: isNews ? 'error' : 'caution' },
    title: `${all} ${cell.count === 1 ? 'goes' : 'go'} nowhere${isNews ? '' : ', as now'}.`,
    text: isNews
      ? `No route takes them. ${whyNotTaken(before, route, isOff)}`
      : 'No route takes them, neither now nor in the draft.',
    messages: cell.count,
    fix:
      isOff && place !== null
        ? {
            label: `Enable ${before ?? ''}`,
            edits: [{ type: 'set', place: place.item, key: 'enabled', value: undefined }],
          }
        : fallback,
    place,
    cell,
  };
}

function whyNotTaken(before: string | undefined, route: Item | undefined, isOff: boolean): string {
  if (before === undefined) return '';
  if (route === undefined) return `Route ${before}, which takes them now, is not in the draft.`;
  return isOff
    ? `Route ${before}, which takes them now, is disabled in the draft.`
    : `Route ${before}, which takes them now, does not in the draft.`;
}

/** The finding for messages that still go somewhere, but no longer reach one of their targets. */
function elsewhere(cell: Cell, { draft }: Documents): Finding {
  const lost = lostTargets(cell).map(nameOf);
  const [before, after] = [mostly(cell.taken.before), mostly(cell.taken.after)];
  const old = before === undefined ? null : placeOf(draft, before, null);
  const now = after === undefined ? null : placeOf(draft, after, null);
  const [oldRoute, nowRoute] = [old, now].map((at) => draft.routes[at?.item.index ?? -1]);
  const isTakenAway =
    old !== null &&
    now !== null &&
    now.item.index < old.item.index &&
    nowRoute?.['final'] === true &&
    lost.every((id) => listOf(oldRoute?.['to']).includes(id));
  const known = new Set([...draft.logspaces, ...draft.destinations].map(idOf));
  const to = lost.filter((id) => known.has(id));
  const sendTo = before === after ? old : now;
  const route = draft.routes[sendTo?.item.index ?? -1];
  return {
    ...{ id: `elsewhere:${cell.row}:${cell.column}`, tone: 'error' },
    title: `${formatMessages(cell.count)} ${cell.count === 1 ? 'reaches' : 'reach'} ${namesOf(lostTargets(cell))} no more.`,
    text: isTakenAway
      ? `Route ${after ?? ''} takes them and is final, so ${before ?? ''} does not see them.`
      : before === after
        ? `Route ${after ?? ''} takes them as before, but sends them to ${cell.column} only.`
        : `Route ${after ?? ''} takes them in place of ${before ?? 'another one'}.`,
    messages: cell.count,
    fix: isTakenAway
      ? hasSteps(nowRoute)
        ? null
        : {
            label: `Let ${after ?? ''} pass them on`,
            edits: [{ type: 'set', place: now.item, key: 'final', value: undefined }],
          }
      : sendTo === null || route === undefined || to.length === 0
        ? null
        : {
            label: `Send ${idOf(route)} to ${to.join(' and ')} too`,
            edits: [
              {
                type: 'set',
                place: sendTo.item,
                key: 'to',
                value: [...listOf(route['to']), ...to],
              },
            ],
          },
    place: sendTo,
    cell,
  };
}

/**
 * The findings for a route that takes nothing, and for steps that do nothing, if the draft is the
 * cause.
 */
function ofRoute(
  { id, before, after, steps }: RouteReport,
  { report, cells, isNarrow }: { report: TestReport; cells: readonly Cell[]; isNarrow: boolean },
  { live, draft }: Documents,
): Finding[] {
  const place = placeOf(draft, id, null);
  const route = draft.routes[place?.item.index ?? -1];
  if (place === null || route === undefined || route['enabled'] === false) return [];
  const isNew = !live.routes.some((one) => idOf(one) === id);
  // A route may take none of the chosen messages, but still take others.
  if (!isNarrow && after === 0 && report.messages > 0 && (before > 0 || isNew)) {
    const by = before > 0 ? takenAwayBy(id, cells, draft) : null;
    return [
      {
        ...{ id: `takes-nothing:${id}`, tone: before > 0 ? 'error' : 'caution' },
        title: `Route ${id} takes nothing${before > 0 ? ' any more' : ''}.`,
        text:
          by !== null
            ? `It takes ${formatMessages(before)} now. In the draft, ${idOf(by.route)} takes them first, and is final.`
            : before > 0
              ? `It takes ${formatMessages(before)} now.`
              : `It is new, and none of the ${formatMessages(report.messages)} that were tried gets there.`,
        messages: before,
        fix:
          by === null || hasSteps(by.route)
            ? null
            : {
                label: `Move ${id} before ${idOf(by.route)}`,
                edits: [{ type: 'move', place: place.item, to: by.index }],
              },
        place,
        cell: null,
      },
    ];
  }
  return steps.flatMap((step): Finding[] => {
    const { kind, messages, changed, dropped } = step;
    const at = { route: id, step: step.step };
    const doesNothing = messages > 0 && changed === 0 && dropped === 0 && step.failed === 0;
    if (!doesNothing || isNarrow || isOldStep({ live, draft }, at)) return [];
    return [
      {
        ...{ id: `does-nothing:${id}/${step.step}`, tone: 'caution' },
        title: `${kind} in ${id} does nothing.`,
        text: `Step ${step.step} is new, and leaves ${messages === 1 ? 'the message' : `all ${formatMessages(messages)}`} that it sees as ${messages === 1 ? 'it is' : 'they are'}.`,
        messages: 0,
        fix: null,
        place: { item: place.item, step: step.step - 1 },
        cell: null,
      },
    ];
  });
}

/**
 * If a route masks or changes messages, another one would keep them as they came: sending messages past it is not
 * offered.
 */
function hasSteps(route: Item | undefined): boolean {
  return route !== undefined && stepsOf(route).length > 0;
}

/** The final route above it in the draft that takes the messages that it took before. */
function takenAwayBy(id: string, cells: readonly Cell[], draft: RouterDocument) {
  const own = draft.routes.findIndex((route) => idOf(route) === id);
  const took = cells.filter(({ taken }) => (taken.before[id] ?? 0) > 0);
  const index = draft.routes.findIndex(
    (route, at) =>
      at < own &&
      route['final'] === true &&
      took.some(({ taken }) => (taken.after[idOf(route)] ?? 0) > 0),
  );
  const route = draft.routes[index];
  return route === undefined ? null : { route, index };
}

/** The fixed beginning of texts in a format, if there is one. */
const beginnings: Readonly<Record<string, string>> = {
  json: 'message:/^\\s*\\{/',
  cef: 'message:/CEF:/',
  leef: 'message:/LEEF:/',
};

function ofParsing(report: TestReport, documents: Documents): Finding[] {
  const { before, after } = report.parse_failures;
  if (after <= before) return [];
  const worst = report.routes
    .flatMap(({ id, steps }) => steps.map((step) => ({ route: id, ...step })))
    .filter((at) => at.kind === 'parse' && at.failed > 0)
    .sort(
      (a, b) =>
        Number(isOldStep(documents, a)) - Number(isOldStep(documents, b)) || b.failed - a.failed,
    )[0];
  const place = worst === undefined ? null : placeOf(documents.draft, worst.route, worst.step);
  const steps = stepsOf(documents.draft.routes[place?.item.index ?? -1] ?? {});
  const step = steps[(worst?.step ?? 0) - 1];
  const format = textOf(step?.['parse']);
  const beginning = beginnings[format];
  const canNarrow =
    place !== null &&
    worst !== undefined &&
    step !== undefined &&
    !('where' in step) &&
    !('field' in step) &&
    worst.failed < worst.messages;
  const more = after - before;
  return [
    {
      ...{ id: 'parsing', tone: 'caution' },
      title: `${formatMessages(more)} more cannot be parsed.`,
      text:
        worst === undefined
          ? 'They go on as they are.'
          : `parse ${format} in step ${worst.step} of ${worst.route} fails for ${formatCount(worst.failed)} of ${formatMessages(worst.messages)}, which go on as they are.`,
      messages: more,
      fix:
        beginning === undefined || !canNarrow
          ? null
          : {
              label: `Parse only what looks like ${format.toUpperCase()}`,
              edits: [
                {
                  type: 'set',
                  place: place.item,
                  key: 'steps',
                  value: steps.with(worst.step - 1, { ...step, where: beginning }),
                },
              ],
            },
      place,
      cell: null,
    },
  ];
}

/** `app and siem` */
function namesOf(targets: readonly string[]): string {
  const names = targets.map(nameOf);
  return names.length < 2
    ? (names[0] ?? '')
    : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

/** The route that takes most of the messages. */
function mostly(taken: Readonly<Record<string, number>>): string | undefined {
  return Object.entries(taken).sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The place of a route in the draft and of one of its steps, which the server counts from 1. */
function placeOf(draft: RouterDocument, route: string, step: number | null): Finding['place'] {
  const index = draft.routes.findIndex((one) => idOf(one) === route);
  if (index < 0) return null;
  return { item: { section: 'routes', index }, step: step === null ? null : step - 1 };
}

/** The parts of a message besides its fields, which rewriting texts cannot change. */
const HEAD = ['time', 'host', 'program', 'severity', 'facility', 'pid', 'msgid', 'source'];

/**
 * The fields that a step changes, and those by which another step tells messages apart. Pure. The
 * fields that a step goes by; null where that may be any.
 */
function compared(step: Item): readonly string[] | null {
  switch (kindOf(step)) {
    case 'dedup':
      return listOf(step['dedup']);
    case 'sample':
    case 'throttle':
      return listOf(step['by']);
    default:
      return null;
  }
}

/** Whether a step can change one of these fields. */
function changes(step: Item, fields: readonly string[] | null): boolean {
  if (fields === null) return true;
  const has = (names: readonly string[]) => fields.some((field) => names.includes(field));
  switch (kindOf(step)) {
    case 'mask':
      return fields.some((field) => !HEAD.includes(field));
    case 'replace':
      return has(listOf(step['in']));
    case 'set':
      return has(keysOf(step['set']));
    case 'unset':
      return has(listOf(step['unset']));
    case 'rename':
      return has([...keysOf(step['rename']), ...valuesOf(step['rename'])]);
    case 'tag':
      return has(['tags']);
    case 'lookup':
      return has(listOf(step['set']));
    default:
      // The names of the fields that it parses are known only from the messages.
      return fields.some((field) => !HEAD.includes(field) && field !== 'message');
  }
}

function keysOf(value: Item[string] | undefined): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function valuesOf(value: Item[string] | undefined): string[] {
  return isObject(value) ? listOf(Object.values(value)) : [];
}
