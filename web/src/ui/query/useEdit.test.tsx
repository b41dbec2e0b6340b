import { renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { dismissAllToasts, shownToasts } from '../toast';
import { useEdit, valueEdit } from './useEdit';

type Body = { query: string; edits: { op: string; value: string }[] };

/** Appends the requested edit to the query, or returns the answer that the test sets. */
const answer = vi.hoisted(() => {
  const stub = vi.fn<(request: Request) => Promise<Response>>();
  vi.stubGlobal('fetch', stub);
  return stub;
});

beforeEach(() => {
  dismissAllToasts();
  answer.mockReset();
  answer.mockImplementation(async (request) => {
    const { query, edits } = (await request.json()) as Body;
    return Response.json({ query: `${query} ${edits[0]?.op ?? ''}:${edits[0]?.value ?? ''}` });
  });
});

function setUp(query = 'q') {
  const use = vi.fn<(query: string) => void>();
  const hook = renderHook(({ text }) => useEdit(text), { initialProps: { text: query } });
  const edit = (...edits: Parameters<typeof hook.result.current>[0]) =>
    hook.result.current(edits, use);
  return { ...hook, use, edit };
}

test('the second of two quick clicks adds to the first', async () => {
  const { edit, use } = setUp();
  edit(valueEdit('host', 'a', false));
  edit(valueEdit('host', 'b', true));
  await waitFor(() => expect(use).toHaveBeenCalledTimes(2));
  expect(use.mock.calls).toEqual([['q include:a'], ['q include:a exclude:b']]);
});

test('a click on a part of the query is for the text that it was seen in', async () => {
  const { edit, use } = setUp();
  edit(valueEdit('host', 'a', false));
  edit({ op: 'remove', start: 0, end: 1 });
  edit(valueEdit('host', 'b', false));
  await waitFor(() => expect(use).toHaveBeenCalledTimes(2));
  expect(use.mock.calls).toEqual([['q include:a'], ['q include:a include:b']]);
});

test('a click that failed is reported, and the next one works', async () => {
  const { edit, use } = setUp();
  answer.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  edit(valueEdit('host', 'a', false));
  edit(valueEdit('host', 'b', false));
  await waitFor(() => expect(use.mock.calls).toEqual([['q include:b']]));
  expect(shownToasts().map(({ title }) => title)).toEqual(['The query was not changed']);
});

test('an answer that was overtaken by another query changes nothing', async () => {
  const { edit, use, rerender } = setUp();
  let release: (response: Response) => void = () => undefined;
  answer.mockImplementationOnce(() => new Promise((resolve) => (release = resolve)));
  edit(valueEdit('host', 'a', false));
  await waitFor(() => expect(answer).toHaveBeenCalledOnce());
  rerender({ text: 'another' });
  release(Response.json({ query: 'q include:a' }));
  edit(valueEdit('host', 'b', false));
  await waitFor(() => expect(use).toHaveBeenCalledOnce());
});

test('a click on what is shown still is for the query that was asked for since', async () => {
  const use = vi.fn<(query: string) => void>();
  const { result } = renderHook(() => useEdit('shown', () => 'asked'));
  result.current([valueEdit('host', 'a', false)], use);
  await waitFor(() => expect(use.mock.calls).toEqual([['asked include:a']]));
});

test('a page that was left is not asked for again', async () => {
  const { edit, use, unmount } = setUp();
  edit(valueEdit('host', 'a', false));
  unmount();
  await waitFor(() => expect(answer).toHaveBeenCalledOnce());
  await Promise.resolve();
  expect(use).not.toHaveBeenCalled();
  expect(shownToasts()).toEqual([]);
});
