import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../api/client';
import { changePassword } from '../api/session';
import { renderPart } from '../test-render';
import { PasswordForm } from './PasswordForm';

vi.mock('../api/session', () => ({ changePassword: vi.fn() }));

async function submit(onChanged: () => void) {
  renderPart(<PasswordForm name="ana" onChanged={onChanged} />);
  await userEvent.type(screen.getByLabelText('Current password'), 'the old one');
  await userEvent.type(screen.getByLabelText('New password'), 'the new one');
  await userEvent.click(screen.getByRole('button', { name: 'Change password' }));
}

test('the old password is sent with the new one', async () => {
  vi.mocked(changePassword).mockResolvedValue();
  const onChanged = vi.fn();
  await submit(onChanged);
  expect(changePassword).toHaveBeenCalledWith('ana', 'the old one', 'the new one');
  expect(onChanged).toHaveBeenCalledOnce();
});

test('why it was refused is said, and what was typed stays', async () => {
  const detail = 'this is not your current password';
  const problem = { title: 'Unprocessable Content', status: 422, detail };
  vi.mocked(changePassword).mockRejectedValue(new ApiError(problem));
  const onChanged = vi.fn();
  await submit(onChanged);
  expect(await screen.findByRole('alert')).toHaveTextContent('This is not your current password');
  expect(screen.getByLabelText('New password')).toHaveValue('the new one');
  expect(onChanged).not.toHaveBeenCalled();
});
