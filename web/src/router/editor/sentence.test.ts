import { expect, test } from 'vitest';
import { sentenceOf } from './sentence';

test('what a route does, in words', () => {
  const route = { to: ['app', 'siem'], steps: [{ parse: 'json' }, { tag: ['a'] }], final: true };
  expect(sentenceOf(route, 93, 1000)).toBe(
    'Takes 9.3 % of the traffic, changes it in 2 steps, sends it to app and siem, and ends there.',
  );
  expect(sentenceOf({ to: [] }, undefined, 0)).toBe(
    'Takes what matches, has no target yet, and lets later routes see it too.',
  );
  expect(sentenceOf({ to: ['main'] }, 1100, 1000)).toContain('Takes 100 % of the traffic');
  expect(sentenceOf({ enabled: false }, 0, 1)).toBe('Is off: messages pass it by.');
});
