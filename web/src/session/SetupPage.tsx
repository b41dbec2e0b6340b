/** Creates the first administrator of a new data directory. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type { Session } from '../api/model';
import { setUp } from '../api/session';
import { Notice } from '../ui/Notice';
import { AuthFrame } from './AuthFrame';
import classes from './AuthFrame.module.css';

type Props = { version: string; onSignedIn: (session: Session) => void };

export function SetupPage({ version, onSignedIn }: Props) {
  const [code, setCode] = useState('');
  const [name, setName] = useState('admin');
  const [password, setPassword] = useState('');
  const setup = useMutation({
    mutationFn: () => setUp(code.trim(), name.trim(), password),
    onSuccess: onSignedIn,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setup.mutate();
  };
  return (
    <AuthFrame title="Create the administrator" version={version}>
      <p className={classes.hint}>
        This Logstead has no users yet. When it started, it printed a one-time setup code on its
        standard output: look in the terminal where it runs, or in its service or container log.
      </p>
      <form onSubmit={submit}>
        {setup.error !== null && <Notice tone="error" title={setup.error.message} />}
        <TextInput
          label="Setup code"
          autoComplete="one-time-code"
          autoFocus
          required
          withAsterisk={false}
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <TextInput
          label="Name"
          autoComplete="username"
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          description="At least 8 characters"
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={8}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" mt={4} loading={setup.isPending}>
          Create administrator
        </Button>
      </form>
    </AuthFrame>
  );
}
