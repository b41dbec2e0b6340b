/** The facts about an account that tables and panels state in the same way. */
import type { Grant, Role, TokenEntry } from '../../api/users';
import { type Zone, formatTime } from '../../ui/time';
import { expiryOf, placesText } from './rows';
import classes from '../Admin.module.css';

export function RoleTag({ role }: { role: Role }) {
  return (
    <span className={classes.tag} data-tone={role === 'admin' ? 'strong' : undefined}>
      {role}
    </span>
  );
}

/** The part of the store that a grant gives access to, such as `host:shop-* in app, main`. */
export function Sees({ grant }: { grant: Grant }) {
  if (grant.scope === null) return placesText(grant);
  return (
    <>
      <code className={`mono ${classes.scope ?? ''}`} title={grant.scope}>
        {grant.scope}
      </code>{' '}
      in {placesText(grant)}
    </>
  );
}

/**
 * The rights of a token. Messages from a sending token go where the routes say, unless it may name
 * logspaces itself.
 */
export function May({ token }: { token: TokenEntry }) {
  if (token.role !== 'ingest') return <Sees grant={token} />;
  return token.logspaces === null ? 'send' : `send, also to ${token.logspaces.join(', ')}`;
}

export function Expires({ token, now, zone }: { token: TokenEntry; now: number; zone: Zone }) {
  const expiry = expiryOf(token, now);
  const day = token.expires_at === null ? '' : formatTime(token.expires_at, zone).slice(0, 10);
  switch (expiry.kind) {
    case 'never':
      return <span className="dimmed">never</span>;
    case 'ended':
      return <span className={classes.bad}>expired {day}</span>;
    case 'soon':
      return (
        <span className="bold caution">
          {day}, {expiry.days === 0 ? 'today' : `in ${expiry.days} d`}
        </span>
      );
    case 'later':
      return day;
  }
}
