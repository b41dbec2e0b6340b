/** Hears from the server when messages were stored, while somebody looks at the page. One connection serves all who listen. */
import { type EventStream, openEvents } from './events';

const PATH = '/api/v1/changes';

const listeners = new Set<() => void>();
let stream: EventStream | null = null;

/** `listener` is also called whenever a connection was made: what was stored before it was not heard. */
export function listenForStored(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) document.addEventListener('visibilitychange', connect);
  connect();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) document.removeEventListener('visibilitychange', connect);
    connect();
  };
}

/** As many connections as are needed: one or none. */
function connect(): void {
  const isNeeded = listeners.size > 0 && document.visibilityState === 'visible';
  if (!isNeeded) {
    stream?.close();
    stream = null;
    return;
  }
  stream ??= openEvents({
    path: () => PATH,
    position: null,
    onEvent: ({ name }) => name === 'stored' && tell(),
    onState: ({ kind }) => kind === 'open' && tell(),
  });
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}
