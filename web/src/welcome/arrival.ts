/** Whether the test message has arrived, and how long it took. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../api/client';
import type { Message } from '../api/model';

const POLL_MS = 300;
/** If a sender's clock differs by more than this, it says nothing about the transit time. */
const CLOCK_STEP_MAX_MS = 2_000;
const WAIT_MAX_MS = 60_000;

export type Arrival = {
  /** The expected message. */
  message: Message | null;
  /** The newest message that arrived before it, from any sender. */
  newest: Message | null;
  /** Whether there were no messages at all when the waiting began. */
  wasEmpty: boolean;
  /** When it was first seen; null if it was there from the start. */
  seenAt: number | null;
};

/**
 * Waits for a message that contains `word`; if nothing has ever been received, for any message at
 * all.
 */
export function arrivalQuery(word: string) {
  const queryKey = ['arrival', word];
  return queryOptions({
    queryKey,
    queryFn: async ({ client: cache, signal }): Promise<Arrival> => {
      const before = cache.getQueryData<Arrival>(queryKey);
      const [test, newest] = await Promise.all([
        newestOf(word, signal),
        newestOf('-source=internal', signal),
      ]);
      return nextArrival(before, { test, newest }, Date.now());
    },
    refetchInterval: ({ state: { data } }) => (data?.message == null ? POLL_MS : false),
    staleTime: Infinity,
  });
}

type Seen = { test: Message | null; newest: Message | null };

export function nextArrival(before: Arrival | undefined, seen: Seen, now: number): Arrival {
  const wasEmpty = before?.wasEmpty ?? seen.newest === null;
  const message = seen.test ?? (wasEmpty ? seen.newest : null);
  const seenAt = message !== null && before !== undefined ? (before.seenAt ?? now) : null;
  return { message, newest: seen.newest, wasEmpty, seenAt };
}

/**
 * The time from the sender's clock, or the server's receipt, to being found; null if the clocks
 * disagree.
 */
export function waitedMs({ message, seenAt }: Arrival): number | null {
  if (message === null || seenAt === null) return null;
  const received = Date.parse(message.received);
  const sent = Date.parse(message.time);
  const from = Math.abs(received - sent) <= CLOCK_STEP_MAX_MS ? Math.min(sent, received) : received;
  const waited = seenAt - from;
  return waited >= 0 && waited <= WAIT_MAX_MS ? waited : null;
}

async function newestOf(query: string, signal: AbortSignal): Promise<Message | null> {
  const body = { query, limit: 1 };
  const { messages } = await unwrap(client.POST('/api/v1/search', { body, signal }));
  return messages[0] ?? null;
}
