import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../test-render';
import { QueryBar } from './QueryBar';
import { readSearch } from './searchParams';

function setUp() {
  const onRun = vi.fn<(query: string) => void>();
  renderPart(<QueryBar state={readSearch({})} onRun={onRun} />);
  return { query: screen.getByRole('textbox', { name: 'Query' }), onRun };
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
