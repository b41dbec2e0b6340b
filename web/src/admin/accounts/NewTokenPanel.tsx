/** Creates a token for a program, and shows its secret this once. */
import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Role, type TokenLimits, makeToken, tokensQuery } from '../../api/users';
import { Notice } from '../../ui/Notice';
import { Preview } from '../preview/Preview';
import { useScopeError } from '../preview/preview';
import { type GrantDraft, GrantFields, grantOf, isIncomplete } from './GrantFields';
import { PanelFrame, Secret, errorAt, otherError } from './PanelFrame';
import { RoleChoice } from './RoleChoice';
import { expiryTime, expiries } from './expiries';
import { SelectField, TextField } from '../../ui/Fields';
import classes from './Panel.module.css';

type Props = { onMade: (id: number) => void; onClose: () => void };

const NAMED = ['name', 'scope', 'logspaces', 'limits', 'expires_at'];
const ROLES: readonly Role[] = ['ingest', 'analyst', 'operator', 'admin'];
const MIB = 1024 * 1024;

type Limit = number | string;

export function NewTokenPanel({ onMade, onClose }: Props) {
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('ingest');
  const [draft, setDraft] = useState<GrantDraft>({ isAll: true, logspaces: [], scope: '' });
  const [expiry, setExpiry] = useState('365');
  const [day, setDay] = useState('');
  const [messages, setMessages] = useState<Limit>('');
  const [rate, setRate] = useState<Limit>('');
  const isSender = role === 'ingest';
  const grant = isSender ? { ...grantOf(draft), scope: null } : grantOf(draft);
  const scopeError = useScopeError(grant);
  const make = useMutation({
    mutationFn: () => {
      const expires_at = expiryTime(expiry, day, Date.now());
      return makeToken({
        name: name.trim(),
        role,
        ...grant,
        ...(expires_at !== null && { expires_at }),
        limits: limitsOf(messages, rate),
      });
    },
    onSuccess: () => cache.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  const made = make.data;
  if (made !== undefined) {
    return (
      <PanelFrame title={made.name} about={`Token with the role ${made.role}`} onClose={onClose}>
        <Secret of={made.name} secret={made.token} onDone={() => onMade(made.id)} />
      </PanelFrame>
    );
  }
  const needsDay = expiry === 'day' && day === '';
  const isReady = name.trim() !== '' && !isIncomplete(draft) && !needsDay;
  const other = otherError(make.error, NAMED);
  return (
    <PanelFrame
      title="New token"
      about="For one program, so that it can be replaced alone"
      onSubmit={() => isReady && make.mutate()}
      onClose={onClose}
      foot={
        <>
          <span className={classes.footNote}>The secret is shown once, after this.</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="filled" type="submit" disabled={!isReady} loading={make.isPending}>
            Create token
          </Button>
        </>
      }
    >
      {other !== undefined && <Notice tone="error" title={other} />}
      <TextField
        label="Name"
        description="Small letters (a to z), digits and . _ - @"
        exact
        maxLength={64}
        value={name}
        error={errorAt(make.error, 'name')}
        onChange={setName}
      />
      <RoleChoice roles={ROLES} value={role} onChange={setRole} />
      <GrantFields
        draft={draft}
        isSender={isSender}
        scopeError={scopeError ?? errorAt(make.error, 'scope')}
        logspacesError={errorAt(make.error, 'logspaces')}
        onChange={setDraft}
      />
      <Expiry
        {...{ expiry, day }}
        error={errorAt(make.error, 'expires_at')}
        onExpiry={setExpiry}
        onDay={setDay}
      />
      <div className={classes.pair}>
        <NumberInput
          size="sm"
          label="Messages a second"
          description="At most, on average"
          placeholder="No limit"
          min={1}
          allowDecimal={false}
          thousandSeparator={'\u202f'}
          value={messages}
          error={errorAt(make.error, 'limits')}
          onChange={setMessages}
        />
        <NumberInput
          size="sm"
          label="MiB a second"
          description="At most, on average"
          placeholder="No limit"
          min={0.001}
          value={rate}
          onChange={setRate}
        />
      </div>
      {!isSender && <Preview who={name.trim() === '' ? 'it' : name.trim()} grant={grant} />}
    </PanelFrame>
  );
}

type ExpiryProps = {
  expiry: string;
  /** The day on which the token expires, if one is chosen. */
  day: string;
  error: ReactNode;
  onExpiry: (expiry: string) => void;
  onDay: (day: string) => void;
};

function Expiry({ expiry, day, error, onExpiry, onDay }: ExpiryProps) {
  return (
    <>
      <div className={classes.pair}>
        <SelectField
          size="sm"
          label="Expires"
          value={expiry}
          data={[...expiries]}
          error={expiry === 'day' ? undefined : error}
          onChange={onExpiry}
        />
        {expiry === 'day' && (
          <TextField type="date" label="On the day" value={day} error={error} onChange={onDay} />
        )}
      </div>
      {expiry === 'never' && (
        <p className="dimmed">
          A token without an end works until somebody revokes it, also when it has leaked.
        </p>
      )}
    </>
  );
}

function limitsOf(messages: Limit, mib: Limit): TokenLimits {
  return {
    ...(messages !== '' && { messages_per_second: Number(messages) }),
    ...(mib !== '' && { bytes_per_second: Math.round(Number(mib) * MIB) }),
  };
}
