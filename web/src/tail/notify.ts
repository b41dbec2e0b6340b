/** Decides when a match is worth a notification of the desktop: never while the reader looks, and not too often. */
import type { Message } from '../api/model';

export type NotificationState = { at: number; unsaid: number };

export const initialNotified: NotificationState = { at: -Infinity, unsaid: 0 };

const BETWEEN_MIN_MS = 5_000;
const TEXT_CHARACTERS_MAX = 160;

/** The state afterwards, and the number of matches to announce; null if it is too early to announce any. */
export function nextNotification(
  last: NotificationState,
  matches: number,
  now: number,
): { next: NotificationState; say: number | null } {
  const unsaid = last.unsaid + matches;
  if (now - last.at < BETWEEN_MIN_MS) return { next: { ...last, unsaid }, say: null };
  return { next: { at: now, unsaid: 0 }, say: unsaid };
}

export function notificationText(
  matches: number,
  query: string,
  { host, message }: Message,
): { title: string; body: string } {
  const what = matches === 1 ? '1 match' : `${matches} matches`;
  return {
    title: query === '' ? what : `${what} of ${query.slice(0, 60)}`,
    body: `${host} ${message.slice(0, TEXT_CHARACTERS_MAX)}`.trim(),
  };
}
