/** A user: what they may do, and what can be done about them. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionEntry } from '../../api/account';
import { type Role, type UserEntry, changeUser, usersQuery } from '../../api/users';
import { Notice } from '../../ui/Notice';
import { initialsOf } from '../../ui/initials';
import { formatTime, useZone } from '../../ui/time';
import { toast } from '../../ui/toast';
import { Preview } from '../preview/Preview';
import { useScopeError } from '../preview/preview';
import { type GrantDraft, GrantFields, draftOf, grantOf, isIncomplete } from './GrantFields';
import { USER_ROLES } from './NewUserPanel';
import { PanelFrame, errorAt, otherError } from './PanelFrame';
import { RoleChoice } from './RoleChoice';
import { UserMenu } from './UserMenu';
import { lastSession, seenText } from './rows';
import classes from './Panel.module.css';
import page from '../Admin.module.css';

type Props = {
  user: UserEntry;
  /** Null as long as they are not known. */
  sessions: readonly SessionEntry[] | null;
  /** Whether it is the user of the page. */
  isSelf: boolean;
  onClose: () => void;
};

const NAMED = ['scope', 'logspaces'];

export function UserPanel({ user, sessions, isSelf, onClose }: Props) {
  const cache = useQueryClient();
  const [zone] = useZone();
  const [role, setRole] = useState<Role>(user.role);
  const [draft, setDraft] = useState<GrantDraft>(draftOf(user));
  const grant = grantOf(draft);
  const scopeError = useScopeError(grant);
  const isChanged =
    role !== user.role || JSON.stringify(grant) !== JSON.stringify(grantOf(draftOf(user)));
  const save = useMutation({
    mutationFn: () => changeUser(user.name, { role, ...grant }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: usersQuery.queryKey });
      toast({ tone: 'good', title: `The rights of ${user.name} are changed` });
    },
  });
  const reset = () => {
    setRole(user.role);
    setDraft(draftOf(user));
    save.reset();
  };
  const row = { user, sessions };
  const seen = lastSession(row);
  const from = seen?.address == null ? '' : ` from ${seen.address}`;
  const other = otherError(save.error, NAMED);
  return (
    <PanelFrame
      title={user.name}
      about={`since ${formatTime(user.created_at, zone).slice(0, 10)}, ${seen === null ? seenText(row) : `last seen ${seenText(row)}${from}`}`}
      mark={
        <span className={page.avatar} data-large="true" aria-hidden>
          {initialsOf(user.name)}
        </span>
      }
      menu={
        <UserMenu
          user={user}
          sessions={sessions?.length ?? null}
          isSelf={isSelf}
          onGone={onClose}
        />
      }
      onSubmit={() => isChanged && !isIncomplete(draft) && save.mutate()}
      onClose={onClose}
      foot={
        <>
          <span className={classes.footNote}>
            Counts from the next request on, also in open sessions.
          </span>
          <Button disabled={!isChanged} onClick={reset}>
            Undo
          </Button>
          <Button
            variant="filled"
            type="submit"
            disabled={!isChanged || isIncomplete(draft)}
            loading={save.isPending}
          >
            Save
          </Button>
        </>
      }
    >
      {user.disabled && (
        <Notice tone="caution" title={<>{user.name} is disabled and cannot sign in</>}>
          Enable the user in the menu above.
        </Notice>
      )}
      {user.origin !== null && (
        <Notice
          tone="info"
          title={
            <>
              {user.origin} decides at each sign-in what {user.name} may do
            </>
          }
        >
          What you change here holds until then. To change it for good, change the grants of{' '}
          {user.origin} in the settings file.
        </Notice>
      )}
      {other !== undefined && <Notice tone="error" title={other} />}
      <RoleChoice roles={USER_ROLES} value={role} onChange={setRole} />
      <GrantFields
        draft={draft}
        scopeError={scopeError ?? errorAt(save.error, 'scope')}
        logspacesError={errorAt(save.error, 'logspaces')}
        onChange={setDraft}
      />
      <Preview
        who={user.name}
        grant={grant}
        onChoose={(logspaces) => setDraft({ ...draft, logspaces })}
      />
    </PanelFrame>
  );
}
