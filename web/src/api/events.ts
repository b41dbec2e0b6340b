/**
 * Server-sent events without gaps: a broken connection is opened again, after the last event that
 * was delivered.
 */
import { under } from '../base';
import {
  ApiError,
  networkError,
  problemOf,
  readProblem,
  retryAfter,
  tellSessionLoss,
} from './client';
import { EventParser, type ServerEvent } from './eventParser';
import type { Message, ProblemDetail } from './model';
import * as Schemas from './types';

/** The state of a connection. Times are those of the browser's clock, except `serverTime`. */
export type EventsState =
  | { kind: 'connecting' }
  | { kind: 'open'; serverTime: number | null }
  | { kind: 'waiting'; since: number; retryAt: number; problem: ProblemDetail }
  | { kind: 'refused'; problem: ProblemDetail }
  | { kind: 'closed' };

export type EventStream = {
  /** The `id` of the last event that was delivered. */
  position: () => string | null;
  /** Skips the wait before the next attempt. */
  retry: () => void;
  close: () => void;
};

type EventsOptions = {
  /** The request body; a position is sent along with it. */
  path: (position: string | null) => string;
  position: string | null;
  onEvent: (event: ServerEvent) => void;
  onState: (state: EventsState) => void;
};

const WAIT_MIN_MS = 500;
const WAIT_MAX_MS = 15_000;
/**
 * Maximum silence: the server sends something every second, so after this long the connection is
 * dead, whatever the system says.
 */
const SILENCE_MAX_MS = 10_000;
/** If a connection lasted this long, its end counts as a new failure. */
const GOOD_AFTER_MS = 10_000;

export function openEvents({ path, position, onEvent, onState }: EventsOptions): EventStream {
  let last = position;
  let state: EventsState = { kind: 'closed' };
  let failures = 0;
  let since: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let connection = new AbortController();

  const become = (next: EventsState) => {
    state = next;
    onState(next);
  };
  const stop = () => {
    clearTimeout(timer);
    connection.abort();
  };
  const fail = (error: unknown) => {
    stop();
    const problem = problemOf(error);
    if (isFinal(problem.status)) {
      if (problem.status === 401) tellSessionLoss();
      become({ kind: 'refused', problem });
      return;
    }
    const now = Date.now();
    const wait = waitFor(failures, error, Math.random());
    failures += 1;
    since ??= now;
    timer = setTimeout(connect, wait);
    become({ kind: 'waiting', since, retryAt: now + wait, problem });
  };
  const read = async (signal: AbortSignal) => {
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => fail(broken('Nothing was heard from the server.')), SILENCE_MAX_MS);
    };
    heard();
    const response = await ask(path(last), last, signal);
    if (signal.aborted) return;
    become({ kind: 'open', serverTime: serverTime(response) });
    const openedAt = Date.now();
    for await (const event of eventsOf(response, signal, heard)) {
      if (event.name === 'problem') throw problemIn(event.data);
      since = null;
      if (Date.now() - openedAt >= GOOD_AFTER_MS) failures = 0;
      onEvent(event);
      if (event.id !== '') last = event.id;
    }
    throw broken('The server ended the connection.');
  };
  const connect = () => {
    stop();
    connection = new AbortController();
    const { signal } = connection;
    become({ kind: 'connecting' });
    read(signal).catch((error: unknown) => {
      if (!signal.aborted) fail(error);
    });
  };
  const retry = () => {
    if (state.kind === 'waiting') connect();
  };
  window.addEventListener('online', retry);
  connect();
  return {
    position: () => last,
    retry,
    close: () => {
      window.removeEventListener('online', retry);
      stop();
      become({ kind: 'closed' });
    },
  };
}

/**
 * The wait after a failure, which grows with each one and is random, so that clients that lost a
 * server do not all come back at once.
 */
export function waitFor(failures: number, error: unknown, random: number): number {
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null;
  const longest = Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** failures);
  const wait = asked === null ? longest / 2 : asked * 1000;
  return Math.round(wait + (random * longest) / 2);
}

/** Whether the answer would be the same the next time. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

async function ask(path: string, position: string | null, signal: AbortSignal): Promise<Response> {
  const headers = {
    Accept: 'text/event-stream',
    ...(position !== null && { 'Last-Event-ID': position }),
  };
  const response = await fetch(under(path), { headers, signal, cache: 'no-store' }).catch(
    networkError,
  );
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream') === true;
  if (response.ok && isStream) return response;
  const body: unknown = await response.json().catch(() => undefined);
  throw new ApiError(readProblem(body, response), retryAfter(response));
}

async function* eventsOf(
  response: Response,
  signal: AbortSignal,
  heard: () => void,
): AsyncGenerator<ServerEvent> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser();
  // If a listener closes the stream during an event, no further one is delivered.
  const isClosed = () => signal.aborted;
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch(networkError);
    if (done || isClosed()) return;
    heard();
    for (const event of parser.push(decoder.decode(value, { stream: true }))) {
      if (isClosed()) return;
      yield event;
    }
  }
}

/** The server's time when it began to answer, to the second. */
function serverTime(response: Response): number | null {
  const at = Date.parse(response.headers.get('Date') ?? '');
  return Number.isNaN(at) ? null : at;
}

function problemIn(data: string): ApiError {
  try {
    return new ApiError(JSON.parse(data) as ProblemDetail);
  } catch {
    return broken('The server ended the connection with a problem that cannot be read.');
  }
}

function broken(detail: string): ApiError {
  return new ApiError({ title: 'The connection is lost', status: 0, detail });
}

export type TailStatus = Omit<Schemas.StatusTailEvent, 'kind'>;

export type TailEvent =
  | { kind: 'messages'; messages: readonly Message[] }
  | { kind: 'status'; status: TailStatus }
  | { kind: 'gap'; messages: number; reason: string };

/** The events of a tail. Null for events that this console does not know. */
export function readEvent({ name, data }: ServerEvent): TailEvent | null {
  switch (name) {
    case 'messages': {
      const { messages } = JSON.parse(data) as Schemas.MessagesTailEvent;
      return { kind: 'messages', messages };
    }
    case 'status':
      return { kind: 'status', status: JSON.parse(data) as TailStatus };
    case 'gap': {
      const { messages, reason } = JSON.parse(data) as Schemas.GapTailEvent;
      return { kind: 'gap', messages, reason };
    }
    default:
      return null;
  }
}
