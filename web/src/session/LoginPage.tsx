/** Asks who is there. It stands in for the page that was asked for, so the address stays what it was. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { ApiError } from '../api/client';
import type { Session } from '../api/model';
import { signIn } from '../api/session';
import { Notice } from '../ui/Notice';
import { AuthFrame } from './AuthFrame';

type Props = { version: string; onSignedIn: (session: Session) => void };

export function LoginPage({ version, onSignedIn }: Props) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const login = useMutation({
    mutationFn: () => signIn(name, password),
    onSuccess: onSignedIn,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <AuthFrame title="Sign in" version={version}>
      <form onSubmit={submit}>
        {login.error !== null && <Notice tone="error" title={explain(login.error)} />}
        <TextInput
          label="Name"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" mt={4} loading={login.isPending}>
          Sign in
        </Button>
      </form>
    </AuthFrame>
  );
}

function explain(error: Error): string {
  if (error instanceof ApiError && error.status === 401) return 'Name or password is wrong.';
  if (error instanceof ApiError && error.status === 429) {
    const wait = error.retryAfterSeconds;
    return `Too many attempts. Try again ${wait === null ? 'later' : `in ${wait} s`}.`;
  }
  return error.message;
}
