import { expect, test } from 'vitest';
import type { RouterDocument } from './document';
import { readRouterView } from './routerParams';
import {
  type WorkbenchAction,
  type WorkbenchChange,
  type WorkbenchState,
  reduceWorkbench,
} from './useWorkbench';

const live: RouterDocument = {
  version: 1,
  sources: [{ id: 'syslog' }],
  routes: [{ id: 'web', where: 'host:web*' }, { id: 'rest' }],
  logspaces: [{ id: 'main' }],
  destinations: [],
};

const state: WorkbenchState = {
  live: { revision: 7, document: live },
  draft: null,
  document: live,
  view: readRouterView({}),
  canEdit: true,
};

const route = (index: number) => ({ section: 'routes', index }) as const;

function reduce(action: WorkbenchAction, part: Partial<WorkbenchState> = {}): WorkbenchChange {
  return reduceWorkbench({ ...state, ...part }, action);
}

/** The routes of the draft after a change. */
function routesAfter({ draft }: WorkbenchChange) {
  const content = draft?.type === 'edit' ? draft.state?.content : undefined;
  return content?.kind === 'document' ? content.document.routes : undefined;
}

test('the first edit begins a draft of the live revision, and further ones keep its base', () => {
  const action = { type: 'toggle', place: route(0) } as const;
  expect(reduce(action).draft).toMatchObject({ type: 'edit', mark: null, state: { base: 7 } });
  const draft = { base: 5, content: { kind: 'document', document: live } } as const;
  expect(reduce(action, { draft }).draft).toMatchObject({ state: { base: 5 } });
});

test('a reader and a text that cannot be read change nothing', () => {
  for (const part of [{ canEdit: false }, { document: null }]) {
    expect(reduce({ type: 'add', section: 'routes' }, part)).toEqual({});
    expect(reduce({ type: 'toggle', place: route(0) }, part)).toEqual({});
    expect(reduce({ type: 'remove', place: route(0) }, part)).toEqual({});
  }
});

test('a new route stands above those that take everything, is opened, and is marked as new', () => {
  const view = readRouterView({ view: 'text', route: 'sshd' });
  const change = reduce({ type: 'add', section: 'routes', where: 'sshd' }, { view });
  expect(routesAfter(change)?.map(({ id }) => id)).toEqual(['web', 'route', 'rest']);
  expect(routesAfter(change)?.[1]).toMatchObject({ where: 'sshd' });
  expect(change.added).toEqual(route(1));
  expect(change.view).toEqual({ mode: 'canvas', item: route(1), step: null, start: null });
});

test('a moved route stays open, and does not leave the list', () => {
  const view = readRouterView({ item: 'routes-0' });
  const change = reduce({ type: 'move', place: route(0), to: 1 }, { view });
  expect(routesAfter(change)?.map(({ id }) => id)).toEqual(['rest', 'web']);
  expect(change.view).toEqual({ item: route(1) });
  expect(reduce({ type: 'move', place: route(0), to: -1 })).toEqual({});
  expect(reduce({ type: 'move', place: route(1), to: 2 })).toEqual({});
});

test('removing closes what is open in the same list, and offers the way back', () => {
  const remove = { type: 'remove', place: route(0) } as const;
  const change = reduce(remove, { view: readRouterView({ item: 'routes-1' }) });
  expect(change.view).toEqual({ item: null, step: null });
  expect(change.offer).toBe('Route web is removed from the draft');
  expect(reduce(remove, { view: readRouterView({ item: 'sources-0' }) }).view).toBeUndefined();
});

test('an item is turned off and on again', () => {
  const off = reduce({ type: 'toggle', place: route(0) });
  expect(routesAfter(off)?.[0]).toMatchObject({ enabled: false });
  const document = { ...live, routes: routesAfter(off) ?? [] };
  const on = reduce({ type: 'toggle', place: route(0) }, { document });
  expect(routesAfter(on)?.[0]).not.toHaveProperty('enabled');
});

test('muting adds a step at the end of a route, and opens it', () => {
  const first = reduce({ type: 'mute', route: 0, query: 'noise' });
  expect(routesAfter(first)?.[0]).toMatchObject({ steps: [{ drop: 'noise' }] });
  expect(first.view).toEqual({ start: null, item: route(0), step: 0 });
  const document = { ...live, routes: routesAfter(first) ?? [] };
  expect(reduce({ type: 'mute', route: 0, query: 'more' }, { document }).view?.step).toBe(1);
});

test('a draft that is discarded or applied is gone, and nothing of it stays open', () => {
  const discarded = reduce({ type: 'discard' });
  expect(discarded.draft).toEqual({ type: 'edit', state: null, mark: null });
  expect(discarded.view).toEqual({ isTest: false, item: null, step: null });
  expect(discarded.offer).toBe('The draft is discarded');
  expect(reduce({ type: 'applied' }).draft).toEqual({ type: 'reset', state: null });
});

test('opening an item leaves the text and the traced message', () => {
  const view = readRouterView({ view: 'text', trace: 'main:1' });
  expect(reduce({ type: 'open', item: route(0) }, { view })).toEqual({
    added: null,
    view: { item: route(0), step: null, trace: null, mode: 'canvas' },
  });
});
