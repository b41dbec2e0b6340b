/** Folds rows that are alike: repeats of one kind of message. */
import { useCallback, useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import type { Fold } from '../../ui/message/Repeats';
import { smartOf } from '../../ui/message/smart';
import { useFolding } from './listStyle';

export type Folded = {
  /** The messages that have a row of their own. */
  messages: readonly Message[];
  /** The folds, by the id of the message in the row. */
  folds: ReadonlyMap<string, Fold>;
};

/** Minimum number of repeats: two may be chance, and take no more room than a fold. */
export const REPEATS_MIN = 3;
/**
 * Maximum number of messages in a fold, so that a page always has several rows and a flood of one
 * kind is not loaded to its end.
 */
const REPEATS_MAX = 50;
const SHAPE_CHARACTERS_MAX = 160;

/** Whether repeats are folded, and the rows that the reader expanded. */
export function useExpanded<Id>() {
  const [isFolding] = useFolding();
  const [expanded, setExpanded] = useState<ReadonlySet<Id>>(() => new Set());
  const toggle = useCallback((id: Id) => setExpanded((before) => toggledIn(before, id)), []);
  return { isFolding, expanded, toggle };
}

const nothing: Folded['folds'] = new Map();

/** The list with its repeats folded, and a function that folds or expands a row. */
export function useFolded(all: readonly Message[], open: string | null) {
  const { isFolding, expanded, toggle } = useExpanded<string>();
  const folded = useMemo(
    () => (isFolding ? foldedOf(all, expanded, open) : { messages: all, folds: nothing }),
    [all, expanded, open, isFolding],
  );
  return { ...folded, toggle };
}

/**
 * `expanded` has the ids of expanded rows; a fold that contains the open message is expanded too.
 */
export function foldedOf(
  all: readonly Message[],
  expanded: ReadonlySet<string>,
  open: string | null,
): Folded {
  const folds = new Map<string, Fold>();
  const messages = runsOf(all, shapeOf, REPEATS_MAX).flatMap((run) => {
    const [head] = run;
    if (head === undefined || run.length < REPEATS_MIN) return run;
    const isExpanded = expanded.has(head.id) || run.some(({ id }, nth) => nth > 0 && id === open);
    folds.set(head.id, { times: run.length, isExpanded });
    return isExpanded ? run : [head];
  });
  return { messages, folds };
}

/** Cuts a list into runs of items of the same shape. An item whose shape is null is a run of its own. */
export function runsOf<Item>(
  items: readonly Item[],
  shapeOfItem: (item: Item) => string | null,
  lengthMax = Infinity,
): Item[][] {
  const runs: Item[][] = [];
  let last: string | null = null;
  for (const item of items) {
    const shape = shapeOfItem(item);
    const run = runs.at(-1);
    if (run === undefined || shape === null || shape !== last || run.length >= lengthMax)
      runs.push([item]);
    else run.push(item);
    last = shape;
  }
  return runs;
}

const known = new WeakMap<Message, string>();

/** The shape of a message: the sender, the severity, and the words without numbers. */
export function shapeOf(message: Message): string {
  const before = known.get(message);
  if (before !== undefined) return before;
  const { host, program, severity, logspace } = message;
  const words = smartOf(message)
    .title.slice(0, SHAPE_CHARACTERS_MAX)
    .replaceAll(/[0-9a-f]*\d[0-9a-f]*/giu, '#');
  const shape = [logspace, host, program, severity, words].join('\n');
  known.set(message, shape);
  return shape;
}

/** Adds the row's id if it is missing, and removes it otherwise. */
function toggledIn<Id>(ids: ReadonlySet<Id>, id: Id): ReadonlySet<Id> {
  return ids.has(id) ? new Set([...ids].filter((one) => one !== id)) : new Set([...ids, id]);
}
