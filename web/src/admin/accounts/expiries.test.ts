import { expect, test } from 'vitest';
import { expiryTime } from './expiries';

const now = Date.parse('2026-06-01T12:00:00Z');

test('a token can work for some days, or for ever', () => {
  expect(expiryTime('30', '', now)).toBe('2026-07-01T12:00:00.000Z');
  expect(expiryTime('never', '', now)).toBeNull();
});

test('a token works on the day that it ends', () => {
  const end = Date.parse(expiryTime('day', '2026-06-10', now) ?? '');
  expect(end).toBeGreaterThan(new Date('2026-06-10T23:59:59').getTime());
  expect(end).toBeLessThanOrEqual(new Date('2026-06-11T00:00:00').getTime());
});
