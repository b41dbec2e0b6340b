/** Whether the first message has arrived. Only that message and a count are kept. */
import { useEffect, useReducer, useRef, useState } from 'react';
import {
  type EventStream,
  type EventsState,
  type TailEvent,
  openEvents,
  readEvent,
} from '../api/events';
import type { Message, ProblemDetail } from '../api/model';
import { requestZone } from '../ui/time';
import { address } from '../ui/open';

export const WAIT_MAX_MS = 10 * 60_000;

export type Arrival = {
  connection: EventsState;
  first: Message | null;
  /** The number of matches, the first one included. */
  matched: number;
  /** The number of all received messages, as last reported by the server. */
  received: number;
};

export const NOTHING: Arrival = {
  connection: { kind: 'connecting' },
  first: null,
  matched: 0,
  received: 0,
};

export type ArrivalEvent =
  { kind: 'connection'; state: EventsState } | { kind: 'event'; event: TailEvent | null };

export function nextArrival(before: Arrival, step: ArrivalEvent): Arrival {
  if (step.kind === 'connection') return { ...before, connection: step.state };
  switch (step.event?.kind) {
    case 'messages':
      return { ...before, first: before.first ?? step.event.messages[0] ?? null };
    case 'status': {
      const { matched, received } = step.event.status;
      return {
        ...before,
        matched: before.matched + matched,
        received: before.received + received,
      };
    }
    case 'gap':
    case undefined:
      return before;
  }
}

export type ArrivalState =
  | { kind: 'waiting'; others: number; isOpen: boolean }
  | { kind: 'received'; message: Message; count: number }
  | { kind: 'lost'; problem: ProblemDetail }
  | { kind: 'refused'; problem: ProblemDetail; isForbidden: boolean }
  | { kind: 'timeout' };

export function arrivalStateOf({ connection, first, matched, received }: Arrival): ArrivalState {
  if (first !== null) return { kind: 'received', message: first, count: Math.max(matched, 1) };
  switch (connection.kind) {
    case 'connecting':
    case 'open':
      return {
        kind: 'waiting',
        others: Math.max(0, received - matched),
        isOpen: connection.kind === 'open',
      };
    case 'waiting':
      return { kind: 'lost', problem: connection.problem };
    case 'refused': {
      const { problem } = connection;
      return { kind: 'refused', problem, isForbidden: problem.status === 403 };
    }
    case 'closed':
      return { kind: 'timeout' };
  }
}

/** The path of a tail of everything that is received from now on and matches. */
function arrivalPath(query: string): string {
  const params = new URLSearchParams({ query, timezone: requestZone() });
  return `/api/v1/tail?${params.toString()}`;
}

/** The address of a search for all matches, with the message open. */
export function searchHref(query: string, { id }: Message): string {
  return address('/search', { q: query === '' ? '*' : query, from: 'all', open: id });
}

type Waiting = {
  state: ArrivalState;
  /** Continues after a timeout, without missing messages that arrived in the meantime. */
  keepWaiting: () => void;
  /** Skips the wait before the next attempt to connect. */
  retry: () => void;
};

/**
 * Waits for the first message that matches, for as long as the component that uses it is mounted.
 */
export function useArrival(query: string): Waiting {
  const [arrival, step] = useReducer(nextArrival, NOTHING);
  const [attempt, setAttempt] = useState(0);
  const stream = useRef<EventStream>(null);
  const position = useRef<string>(null);
  const hasArrived = arrival.first !== null;
  useEffect(() => {
    const opened = openEvents({
      path: () => arrivalPath(query),
      position: position.current,
      onEvent: (sent) => {
        if (sent.id !== '') position.current = sent.id;
        step({ kind: 'event', event: readEvent(sent) });
      },
      onState: (state) => step({ kind: 'connection', state }),
    });
    stream.current = opened;
    return () => opened.close();
  }, [query, attempt]);
  useEffect(() => {
    if (hasArrived) return;
    const timer = setTimeout(() => stream.current?.close(), WAIT_MAX_MS);
    return () => clearTimeout(timer);
  }, [hasArrived, attempt]);
  return {
    state: arrivalStateOf(arrival),
    keepWaiting: () => setAttempt((made) => made + 1),
    retry: () => stream.current?.retry(),
  };
}
