/** Folds rows that say the same: repeats of one kind of message. */
import type { Message } from '../../api/model';
import type { Fold } from '../../ui/message/Repeats';
import { smartOf } from '../../ui/message/smart';

export type Folded = {
  /** Those that have a row of their own. */
  messages: readonly Message[];
  /** By the id of the message in the row. */
  folds: ReadonlyMap<string, Fold>;
};

/** Two may be chance, and take no more room than a fold. */
export const REPEATS_MIN = 3;
/** A page of messages has some rows whatever they are, so that a flood of one kind is not read to its end. */
const REPEATS_MAX = 50;
const SHAPE_CHARACTERS_MAX = 160;

/** `expanded` has ids of rows; what is behind the row of a message that is open is shown too. */
export function foldedOf(
  all: readonly Message[],
  expanded: ReadonlySet<string>,
  open: string | null,
): Folded {
  const folds = new Map<string, Fold>();
  const messages: Message[] = [];
  for (let at = 0; at < all.length;) {
    const run = runAt(all, at);
    at += run.length;
    const [head] = run;
    if (head === undefined) break;
    const isRun = run.length >= REPEATS_MIN;
    const isExpanded = expanded.has(head.id) || run.some(({ id }, nth) => nth > 0 && id === open);
    if (isRun) {
      folds.set(head.id, { times: run.length, isExpanded });
    }
    messages.push(...(isRun && !isExpanded ? [head] : run));
  }
  return { messages, folds };
}

function runAt(messages: readonly Message[], from: number): readonly Message[] {
  const shape = shapeOf(messages[from]);
  let end = from + 1;
  while (end < messages.length && end - from < REPEATS_MAX && shapeOf(messages[end]) === shape) {
    end += 1;
  }
  return messages.slice(from, end);
}

const known = new WeakMap<Message, string>();

/** Who says it, how bad it is, and its words without the numbers among them. */
export function shapeOf(message: Message | undefined): string {
  if (message === undefined) return '';
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

/** With the row's id if it was not there, else without it. */
export function toggledIn<Id>(ids: ReadonlySet<Id>, id: Id): ReadonlySet<Id> {
  return ids.has(id) ? new Set([...ids].filter((one) => one !== id)) : new Set([...ids, id]);
}
