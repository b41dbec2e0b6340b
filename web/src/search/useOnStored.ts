/** Runs something again when messages were stored, as often as the server can bear. */
import { useEffect, useRef } from 'react';
import { listenForStored } from '../api/changes';

/** The pause after a run as a multiple of its duration, so that slow runs do not pile up. */
const REST_FACTOR = 10;

export function useOnStored(enabled: boolean, restMs: number, run: () => Promise<unknown>): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!enabled) return;
    const paced = pace(restMs, () => latest.current());
    const stop = listenForStored(paced.ask);
    return () => {
      stop();
      paced.end();
    };
  }, [enabled, restMs]);
}

/**
 * One run at a time with a pause after it; all requests in the meantime lead to a single run after
 * the pause.
 */
export function pace(restMs: number, run: () => Promise<unknown>) {
  let state: 'idle' | 'busy' | 'asked' | 'ended' = 'idle';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = async () => {
    state = 'busy';
    const began = Date.now();
    await run().catch(() => undefined);
    timer = setTimeout(rested, Math.max(restMs, (Date.now() - began) * REST_FACTOR));
    if (isEnded()) clearTimeout(timer);
  };
  const rested = () => {
    if (state === 'asked') void start();
    else state = 'idle';
  };
  const isEnded = () => state === 'ended';
  return {
    ask: () => {
      if (state === 'idle') void start();
      else if (state === 'busy') state = 'asked';
    },
    end: () => {
      state = 'ended';
      clearTimeout(timer);
    },
  };
}
