/** Notifications of the desktop, once the reader and the browser have allowed them. */
import { useCallback, useRef, useState } from 'react';
import type { Message } from '../api/model';
import { initialNotified, nextNotification, notificationText } from './notify';
import { useBrowserState } from '../ui/useBrowserState';

export type Notifications = {
  wanted: boolean;
  /** Why there are none although they were asked for. */
  problem: string | null;
  toggle: () => void;
  /** Announces these messages, where that is wanted and the page is hidden. */
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

/** Null when it was given. */
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

/** A later notification takes the place of the one before. */
function show({ title, body }: { title: string; body: string }) {
  const notification = new Notification(title, { body, tag: 'logstead-tail' });
  notification.onclick = () => {
    window.focus();
    notification.close();
  };
}
