import { expect, test } from 'vitest';
import { type RouterView, readRouterView, writeRouterView } from './routerParams';

test('what is written is read back as the same view', () => {
  const views: RouterView[] = [
    { tab: 'form', item: null, revision: null },
    { tab: 'form', item: { section: 'routes', index: 2 }, revision: null },
    { tab: 'history', item: null, revision: 7 },
  ];
  for (const view of views) expect(readRouterView(writeRouterView(view))).toEqual(view);
});

test('nonsense in the address never breaks the page', () => {
  const params = { tab: 'x', item: 'routes-x', revision: '-1' };
  expect(readRouterView(params)).toEqual({ tab: 'form', item: null, revision: null });
});
