import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../test-render';
import { QueryBar } from './QueryBar';
import { type SearchState, readSearch } from './searchParams';

function setUp() {
  const onRun = vi.fn<(state: SearchState) => void>();
  const onChange = vi.fn<(state: SearchState) => void>();
  renderPart(<QueryBar state={readSearch({})} logspaces={[]} onRun={onRun} onChange={onChange} />);
  return { query: screen.getByRole('textbox', { name: 'Query' }), onRun, onChange };
}

test('Enter runs the query', async () => {
  const { query, onRun } = setUp();
  await userEvent.type(query, ' failed password {Enter}');
  expect(onRun).toHaveBeenCalledWith({ ...readSearch({}), query: 'failed password' });
});

test('Shift-Enter starts a new line', async () => {
  const { query, onRun } = setUp();
  await userEvent.type(query, 'a{Shift>}{Enter}{/Shift}b');
  expect(query).toHaveValue('a\nb');
  expect(onRun).not.toHaveBeenCalled();
});

test('a new time range takes along what is written', async () => {
  const { query, onChange } = setUp();
  await userEvent.type(query, 'error');
  await userEvent.click(screen.getByRole('button', { name: 'Time range: Last hour' }));
  await userEvent.click(await screen.findByRole('button', { name: 'All time' }));
  expect(onChange.mock.calls[0]?.[0]).toMatchObject({ query: 'error', range: { kind: 'all' } });
});
