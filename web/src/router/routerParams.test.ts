import { expect, test } from 'vitest';
import { type RouterView, readRouterView, writeRouterView } from './routerParams';

const bare = readRouterView({});

test('the canvas is what an address without parameters shows', () => {
  expect(bare).toMatchObject({ mode: 'canvas', item: null, isTest: false, isHistory: false });
  expect(writeRouterView(bare)).toEqual({});
});

test('what an address says is what was written', () => {
  const views: Partial<RouterView>[] = [
    { mode: 'list', item: { section: 'routes', index: 2 }, step: 1 },
    { mode: 'text', isTest: true },
    { isHistory: true, revision: 7 },
    { isHistory: true },
    { trace: '' },
    { trace: '01HX-5' },
    { start: { kind: 'route', query: 'program:sshd' } },
    { start: { kind: 'mute', query: '', of: null } },
    { start: { kind: 'mute', query: 'host=a', of: '01HX-5' } },
    { open: { task: 'queue', id: 'siem' } },
  ];
  for (const part of views) {
    const view = { ...bare, ...part };
    expect(readRouterView(writeRouterView(view))).toEqual(view);
  }
});

test('nonsense is passed over', () => {
  expect(readRouterView({ view: 'upside-down', item: 'routes-x', revision: '-1' })).toEqual(bare);
});
