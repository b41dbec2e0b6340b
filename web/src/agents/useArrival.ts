/** Waits for the first message that matches, for as long as the component is there that asks. */
import { useEffect, useReducer, useRef, useState } from 'react';
import { type EventStream, openEvents } from '../api/events';
import { readEvent } from '../api/tail';
import {
  type ArrivalState,
  NOTHING,
  WAIT_MAX_MS,
  arrivalPath,
  arrivalStateOf,
  nextArrival,
} from './arrival';

type Waiting = {
  state: ArrivalState;
  /** After a timeout: what came meanwhile is not missed. */
  keepWaiting: () => void;
  /** Ends a wait for the next attempt to connect. */
  retry: () => void;
};

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
