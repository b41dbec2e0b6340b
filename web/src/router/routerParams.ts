/**
 * The state of the router page, kept in the address bar. The draft is not in it, because it belongs to this tab alone.
 */
import type { ItemPlace } from './document';
import { isSection } from './sections';

export const modes = ['canvas', 'list', 'text'] as const;
/** The view of the document. */
export type Mode = (typeof modes)[number];

/**
 * The tasks for a destination that open a dialog: viewing messages that wait or were refused, or
 * sending messages again.
 */
export const tasks = ['queue', 'quarantine', 'replay'] as const;
export type Task = (typeof tasks)[number];
export type DestinationTask = { task: Task; id: string };

/**
 * A change that another page requests: a new route for a query, or a step that drops the messages
 * that match it.
 */
export type Start =
  | { kind: 'route'; query: string }
  /**
   * `of` is the message for which this was started, if any: the routes that take it are offered.
   */
  | { kind: 'mute'; query: string; of: string | null };

export type RouterView = {
  mode: Mode;
  /** The item whose form is open. */
  item: ItemPlace | null;
  /** The open step of this item. */
  step: number | null;
  /** Whether the test of the draft on stored messages is open. */
  isTest: boolean;
  isHistory: boolean;
  /** The revision whose changes are shown in the history. */
  revision: number | null;
  /** The id of the traced message; empty for a pasted one. */
  trace: string | null;
  start: Start | null;
  /** The open dialog. */
  open: DestinationTask | null;
};

type Params = Record<string, string | undefined>;

/** The value in the address for a message that is not stored. */
const PASTED = 'pasted';

export function readRouterView(params: Params): RouterView {
  const revision = readNumber(params['revision'] ?? '');
  const trace = params['trace'] ?? null;
  return {
    mode: modes.find((mode) => mode === params['view']) ?? 'canvas',
    item: readPlace(params['item'] ?? ''),
    step: readNumber(params['step'] ?? ''),
    isTest: params['test'] === 'history',
    isHistory: params['history'] === 'shown' || revision !== null,
    revision,
    trace: trace === PASTED ? '' : trace,
    start: readStart(params),
    open: readTask(params),
  };
}

export function writeRouterView(view: RouterView): Record<string, string> {
  const { mode, item, step, isTest, isHistory, revision, trace, start, open } = view;
  return {
    ...(mode !== 'canvas' && { view: mode }),
    ...(item !== null && { item: `${item.section}-${item.index}` }),
    ...(step !== null && { step: String(step) }),
    ...(isTest && { test: 'history' }),
    ...(isHistory && revision === null && { history: 'shown' }),
    ...(revision !== null && { revision: String(revision) }),
    ...(trace !== null && { trace: trace === '' ? PASTED : trace }),
    ...(start !== null && { [start.kind]: start.query }),
    ...(start?.kind === 'mute' && start.of !== null && { of: start.of }),
    ...(open !== null && { [open.task]: open.id }),
  };
}

function readStart(params: Params): Start | null {
  const { route, mute, of = null } = params;
  if (route !== undefined) return { kind: 'route', query: route };
  return mute === undefined ? null : { kind: 'mute', query: mute, of };
}

function readTask(params: Params): DestinationTask | null {
  const task = tasks.find((known) => (params[known] ?? '') !== '');
  return task === undefined ? null : { task, id: params[task] ?? '' };
}

function readPlace(text: string): ItemPlace | null {
  const [section = '', index = ''] = text.split('-');
  const at = readNumber(index);
  return isSection(section) && at !== null ? { section, index: at } : null;
}

function readNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
