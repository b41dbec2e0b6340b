/** The outcomes of a test, in words and as rows and columns. Pure. */
import type { RouterDocument } from '../document';
import { idOf } from '../document';
import { kindOf, stepsOf } from '../steps/steps';
import {
  DROPPED,
  ONLY_DISABLED,
  droppedBy,
  inOrder,
  isDropped,
  isUnrouted,
  nameOf,
  outcomeText,
} from '../../ui/trace/targets';
import type { Outcome } from './wire';

/** The change to the messages of a cell, from harmless to serious. */
export type Kind = 'same' | 'fields' | 'gained' | 'other' | 'lost';

export const kinds: readonly Kind[] = ['same', 'fields', 'gained', 'other', 'lost'];

/** The draft that was tested: without it, messages dropped by a step count as dropped on purpose. */
export type Documents = { live: RouterDocument; draft: RouterDocument };

export type Cell = Outcome & { kind: Kind; row: string; column: string };

/** A row or a column. */
export type Heading = {
  /** Identifies the heading. */
  key: string;
  /** The targets of its messages: `app + siem`, `dropped`. */
  title: string;
  /**
   * The routes that send them there, or the reason why there are none: `payments`, `dedup in
   * payments`, `no route matches`.
   */
  note: string;
  total: number;
  /** Whether any of its messages change. */
  isChanged: boolean;
};

export type Matrix = {
  rows: readonly Heading[];
  columns: readonly Heading[];
  /** The cells by row, then by column. */
  cells: ReadonlyMap<string, ReadonlyMap<string, Cell>>;
  totals: Readonly<Record<Kind, number>>;
  /** The targets that lose messages. */
  lostTo: readonly string[];
};

const ROUTES_NAMED = 2;

/** The targets that messages of a cell reach now and would no longer reach. */
export function lostTargets({ before, after }: Pick<Outcome, 'before' | 'after'>): string[] {
  return inOrder(before).filter((target) => !target.startsWith(DROPPED) && !after.includes(target));
}

function newTargets({ before, after }: Outcome): string[] {
  return after.filter((target) => !target.startsWith(DROPPED) && !before.includes(target));
}

export function kindOfOutcome(outcome: Outcome, documents: Documents | null = null): Kind {
  const { before, after, changed } = outcome;
  if (isSet(before, after)) return changed > 0 ? 'fields' : 'same';
  if (after.some((target) => isMeant(target, outcome, documents))) return 'other';
  const [gone, fresh] = [lostTargets(outcome), newTargets(outcome)];
  if (gone.length === 0) return fresh.length > 0 ? 'gained' : 'other';
  // Messages that move from one logspace to another are still stored, and the same applies to destinations.
  const isLost = (section: string) =>
    gone.some((target) => target.startsWith(section)) &&
    !fresh.some((target) => target.startsWith(section));
  return isLost('logspace:') || isLost('destination:') ? 'lost' : 'other';
}

/**
 * Whether messages are dropped there on purpose: by a step that the draft adds or changes, or in a route that did not
 * take them before. A step that is as it was, and drops more, does so because of something else.
 */
function isMeant(target: string, { taken }: Outcome, documents: Documents | null): boolean {
  const dropped = droppedBy(target);
  if (dropped === null) return false;
  if (documents === null || (taken.before[dropped.route] ?? 0) === 0) return true;
  return !isOldStep(documents, dropped);
}

/** Whether the route has the same step in the live document. */
export function isOldStep(documents: Documents, at: { route: string; step: number }): boolean {
  const step = JSON.stringify(stepAt(documents.draft, at));
  const route = documents.live.routes.find((one) => idOf(one) === at.route);
  return stepsOf(route ?? {}).some((one) => JSON.stringify(one) === step);
}

function stepAt(document: RouterDocument, { route, step }: { route: string; step: number }) {
  return stepsOf(document.routes.find((one) => idOf(one) === route) ?? {})[step - 1] ?? {};
}

/**
 * Rows and columns have the same order, so that unchanged outcomes are on the diagonal. Dropped
 * messages come last.
 */
export function matrixOf(outcomes: readonly Outcome[], documents: Documents | null = null): Matrix {
  const order = new Map<string, boolean>();
  for (const { before } of outcomes) order.set(outcomeText(before), isDropped(before));
  for (const { after } of outcomes) order.set(outcomeText(after), isDropped(after));
  const names = [...order].sort(([, a], [, b]) => Number(a) - Number(b)).map(([name]) => name);
  const cells = new Map<string, Map<string, Cell>>();
  const totals = { same: 0, fields: 0, gained: 0, other: 0, lost: 0 };
  const lostTo = new Set<string>();
  const all = outcomes.map((outcome): Cell => {
    const [row, column] = [outcomeText(outcome.before), outcomeText(outcome.after)];
    return { ...outcome, kind: kindOfOutcome(outcome, documents), row, column };
  });
  for (const cell of all) {
    totals[cell.kind] += cell.kind === 'fields' ? cell.changed : cell.count;
    if (cell.kind === 'fields') totals.same += cell.count - cell.changed;
    if (cell.kind === 'lost') for (const target of lostTargets(cell)) lostTo.add(nameOf(target));
    const row = cells.get(cell.row) ?? new Map<string, Cell>();
    row.set(cell.column, cell);
    cells.set(cell.row, row);
  }
  const headings = (side: 'before' | 'after') =>
    names.flatMap((key) => {
      const own = all.filter((cell) => outcomeText(cell[side]) === key);
      return own.length === 0 ? [] : [headingOf(key, own, side, documents)];
    });
  return {
    rows: headings('before'),
    columns: headings('after'),
    cells,
    totals,
    lostTo: [...lostTo],
  };
}

function headingOf(
  key: string,
  own: readonly Cell[],
  side: 'before' | 'after',
  documents: Documents | null,
): Heading {
  const outcome = own[0]?.[side] ?? [];
  const total = own.reduce((sum, { count }) => sum + count, 0);
  const isChanged = own.some(({ kind }) => kind !== 'same');
  const reason = outcome
    .map((target) => reasonOf(target, side, documents))
    .find((text) => text !== '');
  const taken = new Map<string, number>();
  for (const cell of own) {
    for (const [id, count] of Object.entries(cell.taken[side]))
      taken.set(id, (taken.get(id) ?? 0) + count);
  }
  const title = isDropped(outcome) ? 'dropped' : inOrder(outcome).map(targetTitle).join(' + ');
  return { key, title, note: reason ?? routesText(Object.fromEntries(taken)), total, isChanged };
}

function targetTitle(target: string): string {
  return target.startsWith(DROPPED) ? 'dropped' : nameOf(target);
}

/** The reason why messages are dropped, in a few words; empty if they are not. */
function reasonOf(target: string, side: 'before' | 'after', documents: Documents | null): string {
  if (!target.startsWith(DROPPED)) return '';
  if (isUnrouted(target)) return 'no route matches';
  if (target === ONLY_DISABLED) return 'destinations are off';
  const dropped = droppedBy(target);
  if (dropped === null) return target.slice(DROPPED.length);
  const document = side === 'before' ? documents?.live : documents?.draft;
  const kind = document === undefined ? '' : kindOf(stepAt(document, dropped));
  return kind === '' ? `${dropped.route}, step ${dropped.step}` : `${kind} in ${dropped.route}`;
}

/** The routes that take most of the messages: `vault, sudo`, `vault, sudo + 3`. */
export function routesText(taken: Readonly<Record<string, number>>): string {
  const ids = Object.entries(taken)
    .sort(([, a], [, b]) => b - a)
    .map(([id]) => id);
  const more = ids.length - ROUTES_NAMED;
  return ids.slice(0, ROUTES_NAMED).join(', ') + (more > 0 ? ` + ${more}` : '');
}

/**
 * The second line of a cell: how many of its messages change, which routes they take now, or why
 * they take none.
 */
export function cellNote(cell: Cell, documents: Documents | null): string {
  if (cell.kind === 'fields') {
    const percent = (100 * cell.changed) / Math.max(cell.count, 1);
    return percent < 1 ? '< 1 % changed' : `${Math.floor(percent)} % changed`;
  }
  const dropped = cell.after.map(droppedBy).find((at) => at !== null);
  if (dropped !== undefined && cell.kind !== 'same' && documents !== null)
    return kindOf(stepAt(documents.draft, dropped)) || routesText(cell.taken.after);
  const reason = cell.after
    .map((target) => reasonOf(target, 'after', documents))
    .find((text) => text !== '');
  const fresh = Object.entries(cell.taken.after).filter(([id]) => !(id in cell.taken.before));
  const taken = fresh.length === 0 ? cell.taken.after : Object.fromEntries(fresh);
  return reason ?? routesText(taken);
}

/** The cell to look at first: the worst change, for the most messages. */
export function worstCell({ cells }: Matrix): Cell | undefined {
  const all = [...cells.values()].flatMap((row) => [...row.values()]);
  const weight = ({ kind }: Cell) => kinds.indexOf(kind);
  return all.sort((a, b) => weight(b) - weight(a) || b.count - a.count)[0];
}

function isSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}
