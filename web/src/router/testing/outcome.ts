/** Where messages end up, in words, and the outcomes of a test as rows and columns. Pure. */
import type { Outcome } from './wire';

/** What happens to the messages of a cell, from the harmless to what one has to look at. */
export type Kind = 'same' | 'fields' | 'other' | 'lost';

export type Cell = Outcome & { kind: Kind };

export type Matrix = {
  rows: readonly string[];
  columns: readonly string[];
  /** By row, then by column. */
  cells: ReadonlyMap<string, ReadonlyMap<string, Cell>>;
  totals: Readonly<Record<Kind, number>>;
};

/** `logspace:main` and `destination:siem` as `main + siem`; `dropped:route:fw/step:2` as `dropped by fw, step 2`. */
export function outcomeText(outcome: readonly string[]): string {
  if (outcome.length === 0) return 'dropped';
  return outcome.map(targetText).join(' + ');
}

function targetText(target: string): string {
  const [kind, ...rest] = target.split(':');
  if (kind !== 'dropped') return rest.join(':');
  const reason = rest.join(':');
  if (reason === 'unrouted' || reason === 'no_route') return 'dropped, no route';
  const [, route = '', step] = /^route:(.*?)(?:\/step:(\d+))?$/.exec(reason) ?? [];
  if (route === '') return `dropped: ${reason}`;
  return step === undefined ? `dropped by ${route}` : `dropped by ${route}, step ${step}`;
}

export function isDropped(outcome: readonly string[]): boolean {
  return outcome.every((target) => target.startsWith('dropped:'));
}

export function kindOfOutcome({ before, after, changed }: Outcome): Kind {
  if (isSet(before, after)) return changed > 0 ? 'fields' : 'same';
  const gone = before.filter((target) => !target.startsWith('dropped:') && !after.includes(target));
  // What a step or a route without a target drops, it drops on purpose: that is another outcome, and no loss.
  const isMeant = after.some((target) => target.startsWith('dropped:route:'));
  return gone.length > 0 && !isMeant ? 'lost' : 'other';
}

/** Rows and columns in one order, so that what stays as it is stands on the diagonal. What is dropped stands last. */
export function matrixOf(outcomes: readonly Outcome[]): Matrix {
  const order = new Map<string, boolean>();
  for (const { before } of outcomes) order.set(outcomeText(before), isDropped(before));
  for (const { after } of outcomes) order.set(outcomeText(after), isDropped(after));
  const names = [...order].sort(([, a], [, b]) => Number(a) - Number(b)).map(([name]) => name);
  const has = (side: 'before' | 'after') => {
    const used = new Set(outcomes.map((outcome) => outcomeText(outcome[side])));
    return names.filter((name) => used.has(name));
  };
  const cells = new Map<string, Map<string, Cell>>();
  const totals = { same: 0, fields: 0, other: 0, lost: 0 };
  for (const outcome of outcomes) {
    const kind = kindOfOutcome(outcome);
    totals[kind] += kind === 'fields' ? outcome.changed : outcome.count;
    const row = cells.get(outcomeText(outcome.before)) ?? new Map<string, Cell>();
    row.set(outcomeText(outcome.after), { ...outcome, kind });
    cells.set(outcomeText(outcome.before), row);
  }
  return { rows: has('before'), columns: has('after'), cells, totals };
}

function isSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}
