/**
 * Notifications from the server when messages were stored, while the page is visible. All listeners
 * share one connection.
 */
import { type EventStream, openEvents } from './events';

const PATH = '/api/v1/changes';

const listeners = new Set<() => void>();
let stream: EventStream | null = null;
let isOpen = false;

/**
 * `listener` is also called once it is connected, since it has not heard of what was stored before. Connecting waits a
 * moment, so that one list can take the place of another on the same connection.
 */
export function listenForStored(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) document.addEventListener('visibilitychange', connect);
  const timer = setTimeout(() => {
    if (isOpen) listener();
    else connect();
  });
  return () => {
    clearTimeout(timer);
    listeners.delete(listener);
    if (listeners.size === 0) document.removeEventListener('visibilitychange', connect);
    setTimeout(connect);
  };
}

/** Keeps one connection open while anybody listens. */
function connect(): void {
  const isNeeded = listeners.size > 0 && document.visibilityState === 'visible';
  if (!isNeeded) {
    stream?.close();
    stream = null;
    isOpen = false;
    return;
  }
  stream ??= openEvents({
    path: () => PATH,
    position: null,
    onEvent: ({ name }) => name === 'stored' && tell(),
    onState: ({ kind }) => {
      isOpen = kind === 'open';
      if (isOpen) tell();
    },
  });
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}
