/** Creates a user whose password Logstead keeps. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Role, addUser, usersQuery } from '../../api/users';
import { Notice } from '../../ui/Notice';
import { TextField } from '../../ui/Fields';
import { NewPassword } from '../../ui/password/NewPassword';
import { toast } from '../../ui/toast';
import { Preview } from '../preview/Preview';
import { useScopeError } from '../preview/preview';
import { type GrantDraft, GrantFields, grantOf, isIncomplete } from './GrantFields';
import { PanelFrame, errorAt, otherError } from './PanelFrame';
import { RoleChoice } from './RoleChoice';
import classes from './Panel.module.css';

type Props = { onMade: (name: string) => void; onClose: () => void };

const NAMED = ['name', 'password', 'scope', 'logspaces'];
export const USER_ROLES: readonly Role[] = ['analyst', 'operator', 'admin'];

export function NewUserPanel({ onMade, onClose }: Props) {
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<Role>('analyst');
  const [draft, setDraft] = useState<GrantDraft>({ isAll: true, logspaces: [], scope: '' });
  const grant = grantOf(draft);
  const scopeError = useScopeError(grant);
  const add = useMutation({
    mutationFn: () => addUser({ name: name.trim(), password, role, ...grant }),
    onSuccess: async (user) => {
      await cache.invalidateQueries({ queryKey: usersQuery.queryKey });
      toast({ tone: 'good', title: `${user.name} can sign in now` });
      onMade(user.name);
    },
  });
  const isReady = name.trim() !== '' && password !== '' && !isIncomplete(draft);
  const other = otherError(add.error, NAMED);
  return (
    <PanelFrame
      title="New user"
      about="Signs in with a name and a password that Logstead keeps"
      onSubmit={() => isReady && add.mutate()}
      onClose={onClose}
      foot={
        <>
          <span className={classes.footNote}>The new user is in the audit log.</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="filled" type="submit" disabled={!isReady} loading={add.isPending}>
            Create user
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
        error={errorAt(add.error, 'name')}
        onChange={setName}
      />
      <div>
        <NewPassword label="Password" name={name.trim()} value={password} onChange={setPassword} />
        <div className={classes.wrong}>{errorAt(add.error, 'password')}</div>
      </div>
      <RoleChoice roles={USER_ROLES} value={role} onChange={setRole} />
      <GrantFields
        draft={draft}
        scopeError={scopeError ?? errorAt(add.error, 'scope')}
        logspacesError={errorAt(add.error, 'logspaces')}
        onChange={setDraft}
      />
      <Preview who={name.trim() === '' ? 'they' : name.trim()} grant={grant} />
    </PanelFrame>
  );
}
