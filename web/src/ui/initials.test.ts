import { expect, test } from 'vitest';
import { initialsOf } from './initials';

test.each([
  ['admin', 'AD'],
  ['ana.maria', 'AM'],
  ['jo smith-lee', 'JS'],
  ['x', 'X'],
  ['𝒜lpha', '𝒜L'],
  ['', ''],
])('%s is %s', (name, letters) => {
  expect(initialsOf(name)).toBe(letters);
});
