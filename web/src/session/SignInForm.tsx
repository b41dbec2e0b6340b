/**
 * The name and the password, and a code for users with a second factor, wherever a user has to sign
 * in.
 */
import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../ui/Form';
import type { Session } from '../api/model';
import { needsCode, signIn } from '../api/session';
import { Notice } from '../ui/Notice';
import { explainRefusal } from './refusal';
import { TextField } from '../ui/Fields';

type Props = { name?: string; onSignedIn: (session: Session) => void };

export function SignInForm({ name: filled = '', onSignedIn }: Props) {
  const [name, setName] = useState(filled);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  /** The password was correct, so the code is requested. */
  const [asksCode, setAsksCode] = useState(false);
  const login = useMutation({
    mutationFn: (sent: string | undefined) => signIn(name, password, sent),
    onSuccess: (session) => onSignedIn(session),
    onError: (error) => {
      if (needsCode(error)) setAsksCode(true);
    },
  });
  // The first time, this is a request for the code and not a failure.
  const isQuestion = needsCode(login.error) && login.variables === undefined;
  const retype = (set: (text: string) => void) => (text: string) => {
    setAsksCode(false);
    set(text);
  };
  return (
    <Form className="stack gap12" onSubmit={() => login.mutate(asksCode ? code : undefined)}>
      {login.error !== null && !isQuestion && (
        <Notice tone="error" title={explainRefusal(login.error)} />
      )}
      <TextField
        label="Name"
        autoComplete="username"
        autoFocus={filled === ''}
        required
        autoCapitalize="off"
        value={name}
        onChange={retype(setName)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        data-autofocus={filled !== '' || undefined}
        required
        value={password}
        onChange={(event) => retype(setPassword)(event.currentTarget.value)}
      />
      {asksCode && (
        <TextField
          label="Code"
          description="Of the authenticator app, or a recovery code"
          autoComplete="one-time-code"
          autoFocus
          required
          value={code}
          onChange={setCode}
        />
      )}
      <Button variant="filled" type="submit" size="sm" mt={4} loading={login.isPending}>
        Sign in
      </Button>
    </Form>
  );
}
