import { expect, test } from 'vitest';
import { endAt } from './endAt';

const now = Date.parse('2026-01-02T12:00:00Z');

test('a jump keeps the start of the range when it is before the moment', () => {
  const moment = '2026-01-02T11:30:00.000Z';
  for (const [range, from] of [
    [{ kind: 'last', span: '1h' }, '2026-01-02T11:00:00.000Z'],
    [{ kind: 'last', span: '5m' }, null],
    [{ kind: 'all' }, null],
    [{ kind: 'between', from: '2026-01-01T00:00:00Z', to: null }, '2026-01-01T00:00:00Z'],
    [{ kind: 'between', from: '2026-01-02T11:45:00Z', to: null }, null],
    [{ kind: 'between', from: 'now-3h', to: null }, 'now-3h'],
  ] as const) {
    expect(endAt(range, moment, now)).toEqual({ kind: 'between', from, to: moment });
  }
});
