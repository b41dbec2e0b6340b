/** A user: their rights, and the actions on them. */
import { Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  IconBan,
  IconCheck,
  IconDots,
  IconKey,
  IconLogout,
  IconShieldOff,
  IconTrash,
} from '@tabler/icons-react';
import type { SessionEntry } from '../../api/account';
import {
  type Role,
  type UserEntry,
  changeUser,
  disableUser,
  enableUser,
  endSessionsOf,
  removeTotpOf,
  removeUser,
  setPassword,
  usersQuery,
} from '../../api/users';
import { IconButton } from '../../ui/IconButton';
import { MenuItem } from '../../ui/MenuItem';
import { Failure, Notice } from '../../ui/Notice';
import { initialsOf } from '../../ui/initials';
import { formatTime, useZone } from '../../ui/time';
import { toast } from '../../ui/toast';
import { Form, FormEnd } from '../../ui/Form';
import { Confirm } from '../../ui/Confirm';
import { Dialog } from '../../ui/Dialog';
import { NewPassword } from '../../ui/password/NewPassword';
import { Preview } from '../preview/Preview';
import { useScopeError } from '../preview/preview';
import { type GrantDraft, GrantFields, draftOf, grantOf, isIncomplete } from './GrantFields';
import { USER_ROLES } from './NewUserPanel';
import { PanelFrame, errorAt, otherError } from './PanelFrame';
import { RoleChoice } from './RoleChoice';
import { lastSession, seenText } from './rows';
import classes from './Panel.module.css';
import page from '../Admin.module.css';

type Props = {
  user: UserEntry;
  /** Null while they are not known. */
  sessions: readonly SessionEntry[] | null;
  /** Whether this is the user of the page. */
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

type Action = 'enable' | 'disable' | 'end-sessions' | 'remove-factor' | 'password' | 'delete';

type UserMenuProps = {
  user: UserEntry;
  /** The number of open sessions, if known. */
  sessions: number | null;
  isSelf: boolean;
  onGone: () => void;
};

/** The actions on a user other than changing rights. Each first explains its effect. */
function UserMenu({ user, sessions, isSelf, onGone }: UserMenuProps) {
  const cache = useQueryClient();
  const [asked, setAsked] = useState<Action | null>(null);
  const act = useMutation({
    mutationFn: (action: Asked) => actions[action].run(user.name),
    onSuccess: async (_, action) => {
      setAsked(null);
      toast({ tone: 'good', title: actions[action].done(user.name) });
      if (action === 'delete') onGone();
      await cache.invalidateQueries({ queryKey: usersQuery.queryKey });
    },
  });
  const ask = (action: Action) => {
    act.reset();
    setAsked(action);
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <IconButton icon={IconDots} iconSize={18} label={`More about ${user.name}`} />
        </Menu.Target>
        <Menu.Dropdown>
          {user.origin === null && !isSelf && (
            <MenuItem small icon={IconKey} label="New password…" onClick={() => ask('password')} />
          )}
          <MenuItem
            small
            icon={IconLogout}
            label="End sessions…"
            onClick={() => ask('end-sessions')}
          />
          {user.second_factor && (
            <MenuItem
              small
              icon={IconShieldOff}
              label="Remove second factor…"
              onClick={() => ask('remove-factor')}
            />
          )}
          <Menu.Divider />
          {user.disabled ? (
            <MenuItem small icon={IconCheck} label="Enable" onClick={() => act.mutate('enable')} />
          ) : (
            <MenuItem small icon={IconBan} label="Disable…" onClick={() => ask('disable')} />
          )}
          <MenuItem
            small
            icon={IconTrash}
            label="Delete…"
            color="red"
            onClick={() => ask('delete')}
          />
        </Menu.Dropdown>
      </Menu>
      {asked === 'password' && <PasswordDialog name={user.name} onClose={() => setAsked(null)} />}
      {asked !== null && asked !== 'password' && (
        <Confirm
          title={`${actions[asked].title} ${user.name}`}
          action={actions[asked].action}
          {...(asked === 'delete' && { word: user.name })}
          isPending={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{actions[asked].effect(user, sessionsText(sessions))}</p>
          {isSelf && asked !== 'remove-factor' && <p>This is you: you will be signed out.</p>}
        </Confirm>
      )}
    </>
  );
}

function PasswordDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [password, choose] = useState('');
  const set = useMutation({
    mutationFn: () => setPassword(name, password),
    onSuccess: () => {
      toast({ tone: 'good', title: `${name} has a new password` });
      onClose();
    },
  });
  return (
    <Dialog opened onClose={onClose} title={`New password for ${name}`} size="sm">
      <Form className="stack gap12" onSubmit={() => set.mutate()}>
        <p>
          All sessions of {name} end. Tell them the password in person, and ask them to change it.
        </p>
        <Failure error={set.error} />
        <NewPassword label="New password" name={name} value={password} onChange={choose} />
        <FormEnd
          action="Set password"
          isReady={password !== ''}
          isPending={set.isPending}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}

type Asked = Exclude<Action, 'password'>;

type ActionTexts = {
  run: (name: string) => Promise<void>;
  /** The question, before the name of the user. */
  title: string;
  /** The label of the button. */
  action: string;
  effect: (user: UserEntry, open: string) => string;
  done: (name: string) => string;
};

/** The actions, and their texts. `open` is the text about open sessions. */
const actions: Readonly<Record<Asked, ActionTexts>> = {
  enable: {
    run: enableUser,
    title: 'Enable',
    action: 'Enable',
    effect: ({ name }) => `${name} can sign in again.`,
    done: (name) => `${name} can sign in again`,
  },
  disable: {
    run: disableUser,
    title: 'Disable',
    action: 'Disable',
    effect: ({ name }, open) =>
      `${name} cannot sign in until you enable them again. ${open} at once. Nothing is deleted.`,
    done: (name) => `${name} is disabled`,
  },
  'end-sessions': {
    run: endSessionsOf,
    title: 'End the sessions of',
    action: 'End sessions',
    effect: ({ name }, open) => `${open} at once. ${name} can sign in again.`,
    done: (name) => `The sessions of ${name} have ended`,
  },
  'remove-factor': {
    run: removeTotpOf,
    title: 'Remove the second factor of',
    action: 'Remove second factor',
    effect: ({ name }) =>
      `${name} will sign in with just a password until a new second factor is set up. Make sure that the request really comes from ${name}.`,
    done: (name) => `The second factor of ${name} is removed`,
  },
  delete: {
    run: removeUser,
    title: 'Delete',
    action: 'Delete user',
    effect: ({ name, origin }, open) => {
      const back =
        origin === null
          ? 'The name can be used for somebody else then.'
          : `If ${origin} still knows them, their next sign-in makes the user again; to prevent that, disable the user instead.`;
      return `${name} can no longer sign in. ${open} at once. What they did stays in the audit log, under this name. ${back}`;
    },
    done: (name) => `${name} is deleted`,
  },
};

function sessionsText(sessions: number | null): string {
  switch (sessions) {
    case null:
      return 'Open sessions end';
    case 0:
      return 'No session is open; any that begins meanwhile ends';
    case 1:
      return 'The open session ends';
    default:
      return `The ${sessions} open sessions end`;
  }
}
