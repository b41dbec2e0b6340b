import { expect, test } from 'vitest';
import { batched } from './facetQueries';

type Asked = { fields: string[]; signal: AbortSignal };

function asking(fieldsMax = 24) {
  const requests: Asked[] = [];
  const ask = batched<string, string>((asked, fields, signal) => {
    requests.push({ fields, signal });
    if (asked === 'wrong') return Promise.reject(new Error('wrong'));
    return Promise.resolve(Object.fromEntries(fields.map((field) => [field, `${asked} ${field}`])));
  }, fieldsMax);
  const signal = new AbortController().signal;
  return { requests, ask: (asked: string, field: string) => ask(asked, field, signal), of: ask };
}

test('what is asked at the same moment is one request, and each gets its own answer', async () => {
  const { requests, ask } = asking();
  const answers = await Promise.all([ask('a', 'host'), ask('a', 'pid'), ask('a', 'host')]);
  expect(answers).toEqual(['a host', 'a pid', 'a host']);
  expect(requests.map(({ fields }) => fields)).toEqual([['host', 'pid']]);
  await ask('a', 'host');
  expect(requests).toHaveLength(2);
});

test('different questions stay apart, and so do more fields than a request may have', async () => {
  const { requests, ask } = asking(2);
  await Promise.all([ask('a', 'host'), ask('b', 'host'), ask('a', 'pid'), ask('a', 'program')]);
  expect(requests.map(({ fields }) => fields)).toEqual([['host', 'pid'], ['host'], ['program']]);
});

test('a failure reaches all who asked', async () => {
  const { ask } = asking();
  const answers = await Promise.allSettled([ask('wrong', 'host'), ask('wrong', 'pid')]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a request is given up when nobody wants any of it', async () => {
  const { requests, of } = asking();
  const [one, other] = [new AbortController(), new AbortController()];
  await Promise.all([of('a', 'host', one.signal), of('a', 'pid', other.signal)]);
  one.abort();
  expect(requests[0]?.signal.aborted).toBe(false);
  other.abort();
  expect(requests[0]?.signal.aborted).toBe(true);
});
