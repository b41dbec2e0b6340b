/** The permissions of a user. The server decides; this only avoids refusals. */
import type { User } from '../api/session';

/** Whether the user may change the retention and durability of a logspace, and check it. */
export function mayManage(user: User | null | undefined, id: string): boolean {
  if (user == null || user.scope !== null) return false;
  return isOperator(user) && (user.logspaces === null || user.logspaces.includes(id));
}

/** Only those who may change the router document may add or remove logspaces. */
export function mayChangeRouter(user: User | null | undefined): boolean {
  return user != null && isOperator(user) && user.logspaces === null && user.scope === null;
}

function isOperator({ role }: User): boolean {
  return role === 'operator' || role === 'admin';
}
