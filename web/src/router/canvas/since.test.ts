import { expect, test } from 'vitest';
import { sinceText } from './since';

const now = Date.parse('2026-11-23T14:00:00Z');
const at = (failing_since: string | null, next_try: string | null) =>
  sinceText({ failing_since, next_try }, 'utc', now);

test('since when it is away, and when it is tried again', () => {
  expect(at('2026-11-23T12:48:10Z', '2026-11-23T14:00:14.3Z')).toBe(
    'since 12:48, next try in 14 s',
  );
  expect(at('2026-11-20T12:48:10Z', '2026-11-23T13:59:59Z')).toBe(
    'since 2026-11-20 12:48, trying now',
  );
  expect(at('2026-11-23T12:48:10Z', null)).toBe('since 12:48');
  expect(at(null, null)).toBe('');
});
