import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../api/client';
import type { ProblemName, Session } from '../api/model';
import { signIn } from '../api/session';
import { renderPart } from '../test-render';
import { LoginPage } from './LoginPage';

vi.mock('../api/session', async (original) => ({
  ...(await original<typeof import('../api/session')>()),
  signIn: vi.fn(),
}));

const session: Session = {
  authenticated: true,
  setup_required: false,
  user: { name: 'ana', role: 'analyst', logspaces: null, scope: null },
  csrf_token: 'token',
  expires_at: '2026-11-28T06:13:00Z',
  second_factor_required: false,
  providers: [],
  version: '1',
};

async function submit(onSignedIn: (session: Session) => void) {
  renderPart(<LoginPage version="1" providers={[]} onSignedIn={onSignedIn} />);
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'ana');
  await userEvent.type(screen.getByLabelText('Password'), 'secret');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
}

function refused(status: number, name: ProblemName, retryAfterSeconds?: number): ApiError {
  const problem = { type: `urn:logstead:problem:${name}` as const, title: 'no', status };
  return new ApiError(problem, retryAfterSeconds);
}

test('who gives the right password is let in', async () => {
  vi.mocked(signIn).mockResolvedValue(session);
  const onSignedIn = vi.fn();
  await submit(onSignedIn);
  expect(signIn).toHaveBeenCalledWith('ana', 'secret', undefined);
  expect(onSignedIn.mock.calls[0]?.[0]).toEqual(session);
});

test('a wrong password is said to be one', async () => {
  vi.mocked(signIn).mockRejectedValue(refused(401, 'wrong-password'));
  const onSignedIn = vi.fn();
  await submit(onSignedIn);
  expect(await screen.findByRole('alert')).toHaveTextContent('Name or password is wrong.');
  expect(onSignedIn).not.toHaveBeenCalled();
});

test('too many attempts are told how long to wait', async () => {
  vi.mocked(signIn).mockRejectedValue(refused(429, 'too-many-attempts', 30));
  await submit(vi.fn());
  expect(await screen.findByRole('alert')).toHaveTextContent('Try again in 30 s.');
});

test('a code is asked for when the password was right, and a wrong one is said to be one', async () => {
  vi.mocked(signIn).mockRejectedValue(refused(401, 'needs-second-factor'));
  const onSignedIn = vi.fn();
  await submit(onSignedIn);
  const code = await screen.findByRole('textbox', { name: 'Code' });
  expect(screen.queryByRole('alert')).toBeNull();
  await userEvent.type(code, '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('This code is wrong');
  expect(signIn).toHaveBeenLastCalledWith('ana', 'secret', '123456');

  vi.mocked(signIn).mockResolvedValue(session);
  await userEvent.clear(screen.getByRole('textbox', { name: 'Code' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Code' }), '654321');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(onSignedIn).toHaveBeenCalledOnce();
});

test('other places to sign in with are offered, and lead back to the page that was asked for', () => {
  const providers = [{ id: 'corp', label: 'Example SSO' }];
  renderPart(<LoginPage version="1" providers={providers} onSignedIn={vi.fn()} />);
  const link = screen.getByRole('link', { name: 'Sign in with Example SSO' });
  expect(link).toHaveAttribute('href', '/api/v1/oidc/corp/login?to=%2F');
});
