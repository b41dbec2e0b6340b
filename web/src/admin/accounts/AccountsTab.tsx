/** Users and tokens, filtered by a single field and sorted by a single choice. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import {
  IconAlertTriangle,
  IconCheck,
  IconDots,
  IconKey,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { Button, Menu } from '@mantine/core';
import { IconButton } from '../../ui/IconButton';
import { MenuItem } from '../../ui/MenuItem';
import { UnseenHead } from '../../ui/Table';
import { type TokenEntry, sessionsOfQuery, tokensQuery, usersQuery } from '../../api/users';
import { useCommands } from '../../ui/commands';
import { address } from '../../ui/open';
import { initialsOf } from '../../ui/initials';
import { useZone } from '../../ui/time';
import { type AdminState, type Panel, type SortKey, sortedBy, writeAdmin } from '../adminParams';
import { FilterField, PagePart, SortHead, TableFrame } from '../PagePart';
import {
  UNUSED_DAYS,
  type UserRow,
  attention,
  countText,
  expiryOf,
  seenText,
  shownTokens,
  shownUsers,
  unusedDays,
  usedText,
} from './rows';
import { Expires, May, RoleTag, Sees } from './AccountFacts';
import { RevokeDialog, RotateDialog } from './RotateDialog';
import classes from '../Admin.module.css';

type Props = {
  state: AdminState;
  onChange: (state: AdminState, replace?: boolean) => void;
};

export function AccountsTab({ state, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const users = useQuery(usersQuery);
  const tokens = useQuery(tokensQuery);
  const rows = useUserRows(users.data);
  useCommands([
    {
      id: 'find-account',
      title: 'Find a user or token',
      keys: '/',
      run: () => field.current?.focus(),
    },
  ]);
  const onSort = (by: SortKey) => onChange({ ...state, sort: sortedBy(state.sort, by) }, true);
  const hrefOf = (panel: AdminState['panel']) => address('/admin', writeAdmin({ ...state, panel }));
  return (
    <>
      <UserTable
        rows={users.data === undefined ? null : rows}
        error={users.error}
        {...{ state, onSort, hrefOf }}
        onRetry={() => void users.refetch()}
        finder={
          <FilterField
            ref={field}
            label="Find a user or token"
            placeholder="Name, role, logspace, scope"
            value={state.find}
            onChange={(find) => onChange({ ...state, find }, true)}
          />
        }
      />
      <TokenTable
        tokens={tokens.data ?? null}
        now={tokens.dataUpdatedAt}
        error={tokens.error}
        {...{ state, onSort, hrefOf }}
        onRetry={() => void tokens.refetch()}
      />
    </>
  );
}

/** The users, each with their sessions if known. */
export function useUserRows(users: readonly UserRow['user'][] | undefined): UserRow[] {
  return useQueries({
    queries: (users ?? []).map(({ name }) => sessionsOfQuery(name)),
    combine: (answers) =>
      (users ?? []).map((user, at) => ({ user, sessions: answers[at]?.data ?? null })),
  });
}

type UserTableProps = {
  /** Null while they are not known. */
  rows: readonly UserRow[] | null;
  error: Error | null;
  state: AdminState;
  finder: ReactNode;
  hrefOf: (panel: Panel) => string;
  onSort: (by: SortKey) => void;
  onRetry: () => void;
};

/** The users, with their rights and the time of their last activity. */
function UserTable({ rows, error, state, finder, hrefOf, onSort, onRetry }: UserTableProps) {
  const { sort, find, panel } = state;
  const shown = shownUsers(rows ?? [], find, sort);
  return (
    <PagePart
      label="Users"
      note={rows === null ? undefined : countText(shown.length, rows.length)}
      tools={finder}
      isLoading={rows === null}
      error={error}
      onRetry={onRetry}
    >
      {rows !== null && shown.length === 0 && (
        <p className={classes.none}>No user matches “{find}”.</p>
      )}
      {shown.length > 0 && (
        <TableFrame
          label="List of users"
          heads={[
            <SortHead label="Name" by="name" {...{ sort, onSort }} />,
            <SortHead label="Role" by="role" {...{ sort, onSort }} />,
            'Sees',
            'Second factor',
            <SortHead label="Last seen" by="used" isNumber {...{ sort, onSort }} />,
          ]}
        >
          {shown.map((row) => (
            <Row
              key={row.user.name}
              row={row}
              isOpen={panel.kind === 'user' && panel.name === row.user.name}
              href={hrefOf({ kind: 'user', name: row.user.name })}
            />
          ))}
        </TableFrame>
      )}
    </PagePart>
  );
}

function Row({ row, isOpen, href }: { row: UserRow; isOpen: boolean; href: string }) {
  const { user } = row;
  return (
    <tr data-open={isOpen}>
      <th scope="row">
        <a className={classes.who} href={href} data-user={user.name}>
          <span className={classes.avatar} aria-hidden>
            {initialsOf(user.name)}
          </span>
          {user.name}
          {user.disabled && (
            <span className={classes.tag} data-tone="warn">
              disabled
            </span>
          )}
          {user.origin !== null && <span className={classes.tag}>{user.origin}</span>}
        </a>
      </th>
      <td>
        <RoleTag role={user.role} />
      </td>
      <td>
        <Sees grant={user} />
      </td>
      <td>
        <Factor user={user} />
      </td>
      <td className={classes.number}>{seenText(row)}</td>
    </tr>
  );
}

/** Users of providers use the second factor of the provider. */
function Factor({ user: { second_factor, origin } }: { user: UserRow['user'] }) {
  if (origin?.startsWith('oidc:') === true) return <span className="dimmed">by the provider</span>;
  return (
    <span className={classes.factor} data-off={!second_factor}>
      {second_factor ? (
        <IconCheck size={14} aria-hidden />
      ) : (
        <IconAlertTriangle size={14} aria-hidden />
      )}
      {second_factor ? 'on' : 'off'}
    </span>
  );
}

type TokenTableProps = {
  tokens: readonly TokenEntry[] | null;
  now: number;
  error: Error | null;
  state: AdminState;
  hrefOf: (panel: Panel) => string;
  onSort: (by: SortKey) => void;
  onRetry: () => void;
};

type Asked = { what: 'rotate' | 'revoke'; token: TokenEntry };

/** The tokens for programs, with the time of their last use and their expiry. */
function TokenTable({ tokens, now, error, state, hrefOf, onSort, onRetry }: TokenTableProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { sort, find, panel } = state;
  const shown = shownTokens(tokens ?? [], find, sort);
  const todo = attention(tokens ?? [], now);
  return (
    <PagePart
      label="Tokens"
      note={
        <>
          {tokens !== null && <>{countText(shown.length, tokens.length)} · </>}a secret is shown
          once, and stored as a hash
        </>
      }
      tools={
        todo === '' ? undefined : (
          <span className={classes.tag} data-tone="warn">
            {todo}
          </span>
        )
      }
      isLoading={tokens === null}
      error={error}
      onRetry={onRetry}
    >
      {tokens?.length === 0 && (
        <p className={classes.none}>
          No program has a token yet. Make one for each program that sends or asks, so that each can
          be replaced alone.
        </p>
      )}
      {tokens !== null && tokens.length > 0 && shown.length === 0 && (
        <p className={classes.none}>No token matches “{find}”.</p>
      )}
      {shown.length > 0 && (
        <TableFrame
          label="List of tokens"
          heads={[
            <SortHead label="Name" by="name" {...{ sort, onSort }} />,
            <SortHead label="Role" by="role" {...{ sort, onSort }} />,
            'May',
            <SortHead label="Last used" by="used" isNumber {...{ sort, onSort }} />,
            <SortHead label="Expires" by="expires" isNumber {...{ sort, onSort }} />,
            <UnseenHead label="Actions" />,
          ]}
        >
          {shown.map((token) => (
            <TokenRow
              key={token.id}
              token={token}
              now={now}
              isOpen={panel.kind === 'token' && panel.id === token.id}
              href={hrefOf({ kind: 'token', id: token.id })}
              onAsk={(what) => setAsked({ what, token })}
            />
          ))}
        </TableFrame>
      )}
      {asked?.what === 'rotate' && (
        <RotateDialog token={asked.token} onClose={() => setAsked(null)} />
      )}
      {asked?.what === 'revoke' && (
        <RevokeDialog token={asked.token} now={now} onClose={() => setAsked(null)} />
      )}
    </PagePart>
  );
}

type RowProps = {
  token: TokenEntry;
  now: number;
  isOpen: boolean;
  href: string;
  onAsk: (what: Asked['what']) => void;
};

function TokenRow({ token, now, isOpen, href, onAsk }: RowProps) {
  const [zone] = useZone();
  const isUnused = unusedDays(token, now) >= UNUSED_DAYS;
  const expiry = expiryOf(token, now).kind;
  return (
    <tr data-open={isOpen}>
      <th scope="row">
        <a className={classes.who} href={href} data-token={token.id}>
          <IconKey size={14} aria-hidden />
          {token.name}
          {token.former_until !== null && <span className={classes.tag}>two secrets</span>}
        </a>
      </th>
      <td>
        <RoleTag role={token.role} />
      </td>
      <td>
        <May token={token} />
      </td>
      <td className={`${classes.number ?? ''} ${isUnused ? (classes.bad ?? '') : ''}`}>
        {usedText(token, now)}
      </td>
      <td className={classes.number}>
        <Expires token={token} now={now} zone={zone} />
      </td>
      <td className={classes.number}>
        {isUnused || expiry === 'ended' ? (
          <Button
            size="compact-xs"
            aria-label={`Revoke ${token.name}`}
            onClick={() => onAsk('revoke')}
          >
            Revoke
          </Button>
        ) : null}
        <Menu position="bottom-end">
          <Menu.Target>
            <IconButton icon={IconDots} size={24} label={`More about ${token.name}`} />
          </Menu.Target>
          <Menu.Dropdown>
            <MenuItem small icon={IconRefresh} label="Rotate…" onClick={() => onAsk('rotate')} />
            <MenuItem
              small
              icon={IconTrash}
              label="Revoke…"
              color="red"
              onClick={() => onAsk('revoke')}
            />
          </Menu.Dropdown>
        </Menu>
      </td>
    </tr>
  );
}
