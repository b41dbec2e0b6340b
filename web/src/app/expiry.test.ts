import { expect, test } from 'vitest';
import { endsSoon, waitBeforeWarning } from './expiry';

test('the warning comes two minutes before the end', () => {
  expect(waitBeforeWarning(600_000, 0)).toBe(480_000);
  expect(waitBeforeWarning(100_000, 0)).toBe(0);
  expect(endsSoon(121_000, 0)).toBe(false);
  expect(endsSoon(120_000, 0)).toBe(true);
});

test('a session without an end is not spoken of, and one that ends in a year overflows no timer', () => {
  expect(waitBeforeWarning(null, 0)).toBeNull();
  expect(endsSoon(null, 0)).toBe(false);
  expect(waitBeforeWarning(31_536_000_000, 0)).toBe(2_147_483_647);
});
