import { expect, test } from 'vitest';
import type { Item } from '../document';
import { sentenceOf } from './sentence';

const said = (route: Item, takes?: number, total?: number, isOther?: boolean) =>
  sentenceOf(route, takes, total, isOther)
    .map(({ text, isStrong }) => (isStrong ? `*${text}*` : text))
    .join('');

test('what a route does, in words', () => {
  const route = { to: ['app', 'siem'], steps: [{ parse: 'json' }, { tag: ['a'] }], final: true };
  expect(said(route, 93, 1000)).toBe(
    'Takes *9.3 %* of the traffic, *93/s*, changes it in *2 steps*, sends it to *app* and *siem*, and ends there.',
  );
  expect(said({ to: ['main'] }, 1100, 1000)).toContain('Takes *100 %* of the traffic');
  expect(said({ enabled: false }, 0, 1)).toBe('Is off: messages pass it by.');
});

test('a share that is not known is not told', () => {
  expect(said({ to: [] })).toBe(
    'Takes what matches, has no target yet, and lets later routes see it too.',
  );
  expect(said({ to: ['main'] }, undefined, 9)).toMatch(/^Takes what matches, sends it to \*main\*/);
  expect(said({ to: ['main'] }, 93, 1000, true)).toMatch(
    /^Takes what matches \(live: \*9.3 %\* of the traffic, \*93\/s\*\), sends it/,
  );
  expect(said({ to: ['main'] }, 0, 0)).toContain('(nothing comes right now)');
});
