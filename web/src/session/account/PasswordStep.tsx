/** Asks for the password again, and for a code if that is needed too. */
import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../ui/Form';
import { Notice } from '../../ui/Notice';
import { explainRefusal } from '../refusal';
import { TextField } from '../../ui/Fields';

type Props = {
  name: string;
  action: string;
  isPending: boolean;
  error: Error | null;
  needsCode?: boolean;
  onSubmit: (password: string, code: string) => void;
};

export function PasswordStep({ name, action, isPending, error, needsCode, onSubmit }: Props) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <Form className="stack gap12" onSubmit={() => onSubmit(password, code)}>
      {error !== null && <Notice tone="error" title={explainRefusal(error)} />}
      {/* For password managers, which would ask whose password it is. */}
      <input type="hidden" name="username" autoComplete="username" value={name} readOnly />
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        data-autofocus
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {needsCode === true && (
        <TextField
          label="Code"
          description="Of the authenticator app, or a recovery code"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={setCode}
        />
      )}
      <Button variant="filled" type="submit" size="sm" loading={isPending}>
        {action}
      </Button>
    </Form>
  );
}
