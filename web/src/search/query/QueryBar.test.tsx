import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '../../test-render';
import { QueryBar } from './QueryBar';
import { type SearchState, readSearch } from '../searchParams';

// The plain field replaces the editor, as it does if the editor cannot be loaded.
vi.mock('../../ui/query/QueryEditor', () => {
  throw new Error('not loaded');
});

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});

function setUp(params: Record<string, string> = {}) {
  const onRun = vi.fn<(query: string) => void>();
  const bar = (state: SearchState) => (
    <QueryBar state={state} onRun={onRun} onChange={() => undefined} />
  );
  const state = readSearch(params);
  const { rerender, unmount } = renderPart(bar(state));
  const query = screen.getByRole('textbox', { name: 'Query' });
  return { query, onRun, state, unmount, show: (next: SearchState) => rerender(bar(next)) };
}

test('Enter runs the query', async () => {
  const { query, onRun } = setUp();
  await userEvent.type(query, ' failed password {Enter}');
  expect(onRun).toHaveBeenCalledWith('failed password');
});

test('Shift-Enter starts a new line', async () => {
  const { query, onRun } = setUp();
  await userEvent.type(query, 'a{Shift>}{Enter}{/Shift}b');
  expect(query).toHaveValue('a\nb');
  expect(onRun).not.toHaveBeenCalled();
});

test('Ctrl-Enter runs the query in a new tab', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  const { query, onRun } = setUp({ from: '-15m' });
  await userEvent.type(query, 'a b{Control>}{Enter}{/Control}');
  expect(open).toHaveBeenCalledWith('/search?q=a+b&from=-15m', '_blank', 'noopener');
  expect(onRun).not.toHaveBeenCalled();
});

test('Alt and the arrows go through the queries of before and back to the draft', async () => {
  localStorage.setItem('logstead-history', JSON.stringify(['newer', 'older']));
  const { query } = setUp();
  await userEvent.type(query, 'draft');
  for (const [keys, shown] of [
    ['{Alt>}{ArrowUp}{/Alt}', 'newer'],
    ['{Alt>}{ArrowUp}{/Alt}', 'older'],
    ['{Alt>}{ArrowUp}{/Alt}', 'older'],
    ['{Alt>}{ArrowDown}{/Alt}', 'newer'],
    ['{Alt>}{ArrowDown}{/Alt}', 'draft'],
  ] as const) {
    await userEvent.type(query, keys);
    expect(query).toHaveValue(shown);
  }
});

test('a draft outlives another range and a new login, but not another query', async () => {
  const { query, state, show, unmount } = setUp({ q: 'a' });
  await userEvent.type(query, ' b');
  show({ ...state, range: { kind: 'all' } });
  expect(query).toHaveValue('a b');
  unmount();
  const again = setUp({ q: 'a' });
  expect(again.query).toHaveValue('a b');
  again.show({ ...again.state, query: 'c' });
  expect(again.query).toHaveValue('c');
});

test('what is written on after Enter stays when the answer comes', async () => {
  const { query, state, show } = setUp({ q: 'a' });
  await userEvent.type(query, ' b{Enter} c');
  show({ ...state, query: 'a b' });
  expect(query).toHaveValue('a b c');
  show({ ...state, query: 'd' });
  expect(query).toHaveValue('d');
});
