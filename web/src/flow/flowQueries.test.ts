import { expect, test } from 'vitest';
import type { TimeRange } from '../ui/range';
import { timesOf } from './flowQueries';

test('the ledger is asked for the range as it is, and never without a beginning', () => {
  const check = (range: TimeRange, times: ReturnType<typeof timesOf>) =>
    expect(timesOf(range)).toEqual(times);
  const [from, to] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'];
  check({ kind: 'last', span: '7d' }, { from: '-7d' });
  check({ kind: 'all' }, { from: '-400d' });
  check({ kind: 'between', from, to: null }, { from });
  check({ kind: 'between', from: null, to }, { from: '-400d', to });
});
