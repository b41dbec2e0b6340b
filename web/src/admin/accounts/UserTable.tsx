/** The users: what they may do, and when they last did something. */
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { initialsOf } from '../../ui/initials';
import type { AdminState, Panel, SortKey } from '../adminParams';
import { PagePart } from '../PagePart';
import { TableFrame } from '../TableFrame';
import { RoleTag, Sees } from './AccountFacts';
import { SortHead } from './SortHead';
import { type UserRow, countText, seenText, shownUsers } from './rows';
import classes from '../Admin.module.css';

type Props = {
  /** Null as long as they are not known. */
  rows: readonly UserRow[] | null;
  error: Error | null;
  state: AdminState;
  finder: ReactNode;
  hrefOf: (panel: Panel) => string;
  onSort: (by: SortKey) => void;
  onRetry: () => void;
};

export function UserTable({ rows, error, state, finder, hrefOf, onSort, onRetry }: Props) {
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
        <TableFrame label="List of users">
          <thead>
            <tr>
              <SortHead label="Name" by="name" {...{ sort, onSort }} />
              <SortHead label="Role" by="role" {...{ sort, onSort }} />
              <th scope="col">Sees</th>
              <th scope="col">Second factor</th>
              <SortHead label="Last seen" by="used" isNumber {...{ sort, onSort }} />
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row
                key={row.user.name}
                row={row}
                isOpen={panel.kind === 'user' && panel.name === row.user.name}
                href={hrefOf({ kind: 'user', name: row.user.name })}
              />
            ))}
          </tbody>
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

/** Providers ask for a second factor themselves. */
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
