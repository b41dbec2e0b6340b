import { expect, test } from 'vitest';
import { requestRange } from './range';

test('a request names its range as the server reads it', () => {
  expect(requestRange({ kind: 'last', span: '15m' })).toEqual({ from: '-15m' });
  expect(requestRange({ kind: 'all' })).toEqual({});
  expect(requestRange({ kind: 'between', from: 'now-2h', to: 'now-1h' })).toEqual({
    from: 'now-2h',
    to: 'now-1h',
  });
});
