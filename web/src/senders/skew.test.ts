import { expect, it } from 'vitest';
import { binText } from './senders';

it.each([
  [-1000, 1000, 'in step'],
  [1000, 2000, '1 s to 2 s behind'],
  [-60_000, -30_000, '30 s to 1 min ahead'],
  [-7_650_000, -6_750_000, 'about 2 h ahead'],
  [19_350_000, 20_250_000, 'about 5 h 30 min behind'],
  [172_350_000, null, 'two days or more behind'],
  [null, -172_350_000, 'two days or more ahead'],
])('%s to %s is %s', (from_ms, to_ms, words) => {
  expect(binText({ from_ms, to_ms, messages: 1 })).toBe(words);
});
