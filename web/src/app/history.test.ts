import { expect, test } from 'vitest';
import { readHistory } from './history';

test('what is there is read, and nothing breaks by what is not', () => {
  expect(readHistory('["error","host:web1"," "]')).toEqual(['error', 'host:web1']);
  for (const bad of [null, '', '{', '7', '{"a":1}', '[1,null]'])
    expect(readHistory(bad)).toEqual([]);
});
