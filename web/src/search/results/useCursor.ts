/** The row that the keys work on. It is a message, not a place: it stays with its message when others come in above. */
import { useDebouncedCallback } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { Message } from '../../api/model';

/** Held keys move on some thirty times a second; the address, and with it the drawer, follows when they rest. */
const FOLLOW_MS = 100;

export type Cursor = {
  id: string | null;
  /** -1 where there is none, or its message is not in the list any more. */
  index: number;
  set: (index: number) => void;
  clear: () => void;
};

export function useCursor(
  messages: readonly Message[],
  open: string | null,
  onFollow: (id: string) => void,
): Cursor {
  const [id, setId] = useState(open);
  const [opened, setOpened] = useState(open);
  if (opened !== open) {
    setOpened(open);
    if (open !== null) setId(open);
  }
  const follow = useDebouncedCallback(onFollow, FOLLOW_MS);
  const index = useMemo(
    () => (id === null ? -1 : messages.findIndex((message) => message.id === id)),
    [messages, id],
  );
  const set = (next: number) => {
    const message = messages[next];
    if (message === undefined) return;
    setId(message.id);
    if (open !== null && message.id !== open) follow(message.id);
  };
  return { id, index, set, clear: () => setId(null) };
}
