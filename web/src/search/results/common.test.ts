import { expect, test } from 'vitest';
import type { Facet, Histogram } from '../../api/model';
import type { Summary } from '../queries';
import { commonOf } from '../page/useSearch';

const facet = (counts: Record<string, number>, part: Partial<Facet> = {}): Facet => ({
  distinct: Object.keys(counts).length,
  messages: 10,
  values: Object.entries(counts).map(([value, count]) => ({ value, count })),
  ...part,
});

const summary = (program: Facet, part: Partial<Summary> = {}): Summary => ({
  histogram: { total: 10 } as Histogram,
  facets: { program },
  done: true,
  complete: true,
  took_ms: 1,
  ...part,
});

test('a value is common that as many messages have as the result has', () => {
  const check = (summary: Summary | undefined, program: string | null) =>
    expect(commonOf(summary).program).toBe(program);
  check(summary(facet({ sshd: 10 })), 'sshd');
  // There are 106 programs, of which the first page shows one.
  check(summary(facet({ sshd: 7, 'shop-api': 3 })), null);
  // Some messages have no program.
  check(summary(facet({ sshd: 9 })), null);
  // The clause `program=lpd` does not limit its own values.
  check(summary(facet({ sshd: 90, lpd: 10 })), 'lpd');
});

test('nothing is common as long as not all is counted', () => {
  const all = facet({ sshd: 10 });
  for (const part of [{ done: false }, { complete: false }, { facets: {} }])
    expect(commonOf(summary(all, part)).program).toBeNull();
  expect(commonOf(summary(facet({ sshd: 10 }, { partial: 'too many values' }))).program).toBeNull();
  expect(commonOf(undefined).program).toBeNull();
});
