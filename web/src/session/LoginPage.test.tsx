import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../api/client';
import type { Session } from '../api/model';
import { signIn } from '../api/session';
import { renderPart } from '../test-render';
import { LoginPage } from './LoginPage';

vi.mock('../api/session', () => ({ signIn: vi.fn() }));

const session: Session = {
  authenticated: true,
  setup_required: false,
  user: { name: 'ana', role: 'analyst', logspaces: null, scope: null },
  csrf_token: 'token',
  expires_at: '2026-11-28T06:13:00Z',
  version: '1',
};

async function submit(onSignedIn: (session: Session) => void) {
  renderPart(<LoginPage version="1" onSignedIn={onSignedIn} />);
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'ana');
  await userEvent.type(screen.getByLabelText('Password'), 'secret');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
}

test('who gives the right password is let in', async () => {
  vi.mocked(signIn).mockResolvedValue(session);
  const onSignedIn = vi.fn();
  await submit(onSignedIn);
  expect(signIn).toHaveBeenCalledWith('ana', 'secret');
  expect(onSignedIn.mock.calls[0]?.[0]).toEqual(session);
});

test('a wrong password is said to be one', async () => {
  vi.mocked(signIn).mockRejectedValue(new ApiError({ title: 'Unauthorized', status: 401 }));
  const onSignedIn = vi.fn();
  await submit(onSignedIn);
  expect(await screen.findByRole('alert')).toHaveTextContent('Name or password is wrong.');
  expect(onSignedIn).not.toHaveBeenCalled();
});

test('too many attempts are told how long to wait', async () => {
  const problem = { title: 'Too Many Requests', status: 429 };
  vi.mocked(signIn).mockRejectedValue(new ApiError(problem, 30));
  await submit(vi.fn());
  expect(await screen.findByRole('alert')).toHaveTextContent('Try again in 30 s.');
});
