/** The open sessions of all users in one list. Pure. */
import type { SessionEntry } from '../../api/account';
import { browserName } from '../../ui/browserName';
import type { UserRow } from '../accounts/rows';

export type SessionRow = { user: string; session: SessionEntry };

/** The sessions that match, last used first. */
export function shownSessions(rows: readonly UserRow[], find: string): SessionRow[] {
  const wanted = find.trim().toLowerCase();
  return rows
    .flatMap(({ user, sessions }) =>
      (sessions ?? []).map((session) => ({ user: user.name, session })),
    )
    .filter(({ user, session }) =>
      [user, browserName(session.user_agent), session.address ?? ''].some((text) =>
        text.toLowerCase().includes(wanted),
      ),
    )
    .sort((a, b) => Date.parse(b.session.last_used) - Date.parse(a.session.last_used));
}
