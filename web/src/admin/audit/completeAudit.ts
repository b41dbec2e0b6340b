/** Completion for queries of the audit log: its fields, and the existing actions. */
import type { Complete } from '../../ui/query/suggestions';

const FIELDS = ['action:', 'user:', 'account:'];

/** The actions listed in docs/accounts.md. */
const ACTIONS = [
  'session.begin',
  'session.end',
  'session.refused',
  'session.revoke',
  'totp.enable',
  'totp.disable',
  'totp.reset',
  'totp.codes',
  'totp.refused',
  'totp.recovery',
  'user.create',
  'user.change',
  'user.remove',
  'user.password',
  'user.disable',
  'user.enable',
  'token.create',
  'token.rotate',
  'token.remove',
];

/** Completes the word before the cursor. */
export const completeAudit: Complete = (query, cursor) => {
  const before = Array.from(query).slice(0, cursor).join('');
  const [word] = /[^\s()]*$/.exec(before) ?? [''];
  const [, field, value = ''] = /^-?(\w+)[:=](.*)$/.exec(word) ?? [];
  const typed = field === undefined ? word : value;
  const known = field === undefined ? FIELDS : field === 'action' ? ACTIONS : [];
  const kind = field === undefined ? ('field' as const) : ('value' as const);
  const options = known
    .filter((text) => text.startsWith(typed) && text !== typed)
    .map((text) => ({ kind, label: text, insert: text }));
  return Promise.resolve({ from: cursor - Array.from(typed).length, to: cursor, options });
};
