/** Name and password, wherever a user has to sign in. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type { Session } from '../api/model';
import { signIn } from '../api/session';
import { Notice } from '../ui/Notice';
import { explainRefusal } from './explain';
import classes from './AuthFrame.module.css';

type Props = { name?: string; onSignedIn: (session: Session) => void };

export function SignInForm({ name: filled = '', onSignedIn }: Props) {
  const [name, setName] = useState(filled);
  const [password, setPassword] = useState('');
  const login = useMutation({
    mutationFn: () => signIn(name, password),
    onSuccess: (session) => onSignedIn(session),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      {login.error !== null && <Notice tone="error" title={explainRefusal(login.error)} />}
      <TextInput
        label="Name"
        autoComplete="username"
        autoFocus={filled === ''}
        required
        withAsterisk={false}
        spellCheck={false}
        autoCapitalize="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        data-autofocus={filled !== '' || undefined}
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" size="sm" mt={4} loading={login.isPending}>
        Sign in
      </Button>
    </form>
  );
}
