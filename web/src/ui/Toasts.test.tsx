import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { renderPart } from '../test-render';
import { Toasts } from './Toasts';
import { dismissAllToasts, shownToasts, staysMs, toast } from './toast';

afterEach(() => act(dismissAllToasts));

test('a toast is said politely and can be taken back', async () => {
  renderPart(<Toasts />);
  const undo = vi.fn();
  act(() => void toast({ tone: 'good', title: 'Deleted', action: { label: 'Undo', run: undo } }));
  expect(screen.getByRole('region', { name: 'Notifications' })).toHaveAttribute(
    'aria-live',
    'polite',
  );
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.queryByText('Deleted')).toBeNull();
});

test('Esc dismisses all of them', async () => {
  renderPart(<Toasts />);
  act(() => void toast({ tone: 'error', title: 'Not saved' }));
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByText('Not saved')).toBeNull();
});

test('the same words are there once, and never more than four', () => {
  for (let n = 0; n < 9; n += 1) toast({ tone: 'info', title: 'Copied' });
  expect(shownToasts()).toHaveLength(1);
  for (let n = 0; n < 9; n += 1) toast({ tone: 'info', title: `Number ${n}` });
  expect(shownToasts().map(({ title }) => title)).toEqual([5, 6, 7, 8].map((n) => `Number ${n}`));
});

test('an error stays until it is read, a decision takes longer than a word', () => {
  const action = { label: 'Undo', run: () => undefined };
  expect(staysMs({ tone: 'error', title: '' })).toBeNull();
  expect(staysMs({ tone: 'good', title: '' })).toBe(5_000);
  expect(staysMs({ tone: 'good', title: '', action })).toBe(10_000);
});
