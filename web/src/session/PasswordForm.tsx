/**
 * Changes the user's own password. It asks for the old password, as the session may have been left
 * open.
 */
import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../ui/Form';
import { changePassword } from '../api/session';
import { Failure } from '../ui/Notice';
import { NewPassword } from '../ui/password/NewPassword';
import classes from './AuthFrame.module.css';

type Props = { name: string; onChanged: () => void };

export function PasswordForm({ name, onChanged }: Props) {
  const [current, setCurrent] = useState('');
  const [chosen, setChosen] = useState('');
  const change = useMutation({
    mutationFn: () => changePassword(name, current, chosen),
    onSuccess: onChanged,
  });
  return (
    <Form className="stack gap12" onSubmit={() => change.mutate()}>
      <Failure error={change.error} />
      {/* For password managers, which would ask whose password it is. */}
      <input type="hidden" name="username" autoComplete="username" value={name} readOnly />
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        data-autofocus
        required
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <NewPassword label="New password" name={name} value={chosen} onChange={setChosen} />
      <p className={classes.hint}>Your other sessions end.</p>
      <Button variant="filled" type="submit" size="sm" loading={change.isPending}>
        Change password
      </Button>
    </Form>
  );
}
