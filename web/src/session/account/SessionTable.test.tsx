import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import {
  type SessionEntry,
  endOtherSessions,
  endSessionById,
  sessionsQuery,
} from '../../api/account';
import { ApiError } from '../../api/client';
import { renderPart } from '../../test-render';
import { SessionTable } from './AccountPage';

vi.mock('../../api/account', () => ({
  sessionsQuery: { queryKey: ['account', 'sessions'], queryFn: vi.fn() },
  endSessionById: vi.fn(() => Promise.resolve()),
  endOtherSessions: vi.fn(() => Promise.resolve()),
}));

const session: SessionEntry = {
  id: 'mine',
  current: true,
  began_at: '2026-11-24T06:00:00Z',
  last_used: '2026-11-24T06:13:00Z',
  expires_at: '2026-12-01T06:13:00Z',
  address: '192.0.2.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
};
const other: SessionEntry = { ...session, id: 'other', current: false, user_agent: 'curl/8.14.1' };

function show(sessions: SessionEntry[]) {
  vi.mocked(sessionsQuery.queryFn as () => Promise<SessionEntry[]>).mockResolvedValue(sessions);
  renderPart(<SessionTable />);
}

test('one can end another session, and not the one that is used', async () => {
  show([session, other]);
  const mine = await screen.findByRole('row', { name: /Firefox on Linux/ });
  expect(within(mine).queryByRole('button')).toBeNull();
  await userEvent.click(
    screen.getByRole('button', { name: 'End the session of curl from 192.0.2.7' }),
  );
  await waitFor(() => expect(vi.mocked(endSessionById).mock.calls[0]?.[0]).toBe('other'));
  await userEvent.click(screen.getByRole('button', { name: 'End all others' }));
  expect(endOtherSessions).toHaveBeenCalledOnce();
});

test('without others there is nothing to end', async () => {
  show([session]);
  await screen.findByText('This session');
  expect(screen.getByRole('button', { name: 'End all others' })).toBeDisabled();
});

test('a list that cannot be read says so', async () => {
  const failure = new ApiError({ title: 'Bad', status: 400, detail: 'the disk is gone' });
  vi.mocked(sessionsQuery.queryFn as () => Promise<SessionEntry[]>).mockRejectedValue(failure);
  renderPart(<SessionTable />);
  expect(await screen.findByRole('alert')).toHaveTextContent('The disk is gone');
});
