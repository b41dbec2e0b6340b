/** Why signing in failed, in the words of the form. */
import { ApiError } from '../api/client';
import { needsCode } from '../api/session';

export function explainRefusal(error: Error): string {
  if (needsCode(error)) return 'This code is wrong, or was used before.';
  if (error instanceof ApiError && error.status === 401) return 'Name or password is wrong.';
  if (error instanceof ApiError && error.status === 429) {
    const wait = error.retryAfterSeconds;
    return `Too many attempts. Try again ${wait === null ? 'later' : `in ${wait} s`}.`;
  }
  return error.message;
}
