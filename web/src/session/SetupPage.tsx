/** Creates the first administrator of a new data directory. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../ui/Form';
import type { Session } from '../api/model';
import { setUp } from '../api/session';
import { Failure } from '../ui/Notice';
import { AuthFrame } from './AuthFrame';
import { TextField } from '../ui/Fields';
import { NewPassword } from '../ui/password/NewPassword';
import { codeIn } from './setupCode';
import classes from './AuthFrame.module.css';

type Props = { version: string; onSignedIn: (session: Session) => void };

export function SetupPage({ version, onSignedIn }: Props) {
  // The server prints the address of this page, including the code.
  const [code, setCode] = useState(codeIn(window.location.hash));
  const [name, setName] = useState('admin');
  const [password, setPassword] = useState('');
  const setup = useMutation({
    mutationFn: () => setUp(codeIn(code), name.trim(), password),
    onSuccess: (session) => onSignedIn(session),
  });
  return (
    <AuthFrame title="Create the administrator" version={version}>
      <p className={classes.hint}>
        This Logstead has no users yet. When it started, it printed a one-time setup code on its
        standard output, in a line that begins with <code className="mono">setup:</code>
      </p>
      <ul className={classes.where}>
        <li>in the terminal where it runs,</li>
        <li>
          in the log of its service: <code className="mono">journalctl -u logstead</code>
        </li>
        <li>
          or of its container: <code className="mono">docker compose logs</code>
        </li>
      </ul>
      <Form className="stack gap12" onSubmit={() => setup.mutate()}>
        <Failure error={setup.error} />
        <TextField
          label="Setup code"
          autoComplete="one-time-code"
          autoFocus={code === ''}
          required
          value={code}
          onChange={setCode}
        />
        <TextField
          label="Name"
          autoComplete="username"
          required
          autoCapitalize="off"
          value={name}
          onChange={setName}
        />
        <NewPassword label="Password" name={name.trim()} value={password} onChange={setPassword} />
        <Button variant="filled" type="submit" size="sm" mt={4} loading={setup.isPending}>
          Create administrator
        </Button>
      </Form>
    </AuthFrame>
  );
}
