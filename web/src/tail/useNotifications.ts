/** Desktop notifications, once the user and the browser have allowed them. */
import { useCallback, useRef, useState } from 'react';
import type { Message } from '../api/model';
import { useBrowserState } from '../ui/useBrowserState';

export type Notifications = {
  wanted: boolean;
  /** The reason why there are none although the user wants them. */
  problem: string | null;
  toggle: () => void;
  /** Announces these messages, if the user wants that and the page is hidden. */
  tell: (query: string, messages: readonly Message[]) => void;
};

export function useNotifications(): Notifications {
  const [wanted, setWanted] = useBrowserState({ key: 'logstead-tail-notify', defaultValue: false });
  const [problem, setProblem] = useState<string | null>(null);
  const last = useRef(initialNotified);

  const toggle = () => {
    if (wanted) {
      setProblem(null);
      setWanted(false);
      return;
    }
    void askPermission().then((refused) => {
      setProblem(refused);
      setWanted(refused === null);
    });
  };
  const tell = useCallback(
    (query: string, messages: readonly Message[]) => {
      const [first] = messages;
      if (!wanted || !document.hidden || first === undefined || !isAllowed()) return;
      const { next, say } = nextNotification(last.current, messages.length, Date.now());
      last.current = next;
      if (say !== null) show(notificationText(say, query, first));
    },
    [wanted],
  );
  return { wanted, problem, toggle, tell };
}

/** Asks for permission; null if it was given, otherwise the reason. */
async function askPermission(): Promise<string | null> {
  if (!('Notification' in window) || !window.isSecureContext) {
    return 'This browser shows notifications only over HTTPS: open the console by an https:// address.';
  }
  const answer = await Notification.requestPermission();
  if (answer === 'granted') return null;
  return 'Notifications are blocked: allow them for this site in the settings of the browser.';
}

function isAllowed(): boolean {
  return 'Notification' in window && Notification.permission === 'granted';
}

/** A later notification replaces the one before. */
function show({ title, body }: { title: string; body: string }) {
  const notification = new Notification(title, { body, tag: 'logstead-tail' });
  notification.onclick = () => {
    window.focus();
    notification.close();
  };
}

type NotificationState = { at: number; unsaid: number };

/**
 * Decides when a match is worth a desktop notification: never while the user is looking, and not
 * too often.
 */
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
