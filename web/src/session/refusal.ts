import { ApiError } from '../api/client';
import { needsCode } from '../api/session';

/**
 * The reason why a provider's user was not let in: the server puts a code for it in the address,
 * and never a text of its own.
 */

const REFUSALS: Readonly<Record<string, string>> = {
  denied: 'The sign-in was cancelled, or refused there.',
  expired: 'The sign-in took too long, or began in another browser. Try again.',
  no_group: 'You are in no group that may use this Logstead. Ask an administrator.',
  name_taken: 'Your name there belongs to another user here. Ask an administrator.',
  disabled: 'Your user is disabled here. Ask an administrator.',
  failed: 'The sign-in failed. An administrator finds the reason in the log.',
};

/** The reason in words, and the requested page, without the reason in its address. */
export function withoutRefusal({ pathname, search }: { pathname: string; search: string }): {
  refusal: string | null;
  page: string;
} {
  const params = new URLSearchParams(search);
  const reason = params.get('sso');
  if (reason === null) return { refusal: null, page: pathname + search };
  params.delete('sso');
  const rest = params.toString();
  const known = REFUSALS[reason] ?? REFUSALS['failed'] ?? null;
  return { refusal: known, page: rest === '' ? pathname : `${pathname}?${rest}` };
}

/** The reason why signing in failed, in the words of the form. */
export function explainRefusal(error: Error): string {
  if (needsCode(error)) return 'This code is wrong, or was used before.';
  if (error instanceof ApiError && error.is('wrong-password')) return 'Name or password is wrong.';
  if (error instanceof ApiError && error.is('too-many-attempts')) {
    const wait = error.retryAfterSeconds;
    return `Too many attempts. Try again ${wait === null ? 'later' : `in ${wait} s`}.`;
  }
  return error.message;
}
