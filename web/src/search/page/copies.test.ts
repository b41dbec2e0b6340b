import { expect, test } from 'vitest';
import { copiesText } from './CopiesLeftOut';

test('copies that are left out are counted in words', () => {
  expect(copiesText(1)).toBe('1 copy left out');
  expect(copiesText(1285)).toMatch(/^1.285 copies left out$/);
});
