/** A tail that runs as long as the component that owns it, and the view of it for components. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Message } from '../api/model';
import { Tail, type TailView } from './tail';

type Options = {
  query: string;
  logspaces: readonly string[];
  paused: boolean;
  following: boolean;
  onMatch: (messages: readonly Message[]) => void;
};

export function useTail(options: Options): Tail {
  const { query, paused, following, onMatch } = options;
  const logspaces = options.logspaces.join(',');
  const tail = useMemo(
    () => new Tail({ query, logspaces: logspaces.split(',').filter((id) => id !== '') }),
    [query, logspaces],
  );
  useEffect(() => {
    tail.start();
    return () => tail.stop();
  }, [tail]);
  useEffect(() => tail.listen(onMatch), [tail, onMatch]);
  useEffect(() => tail.pause(paused), [tail, paused]);
  useEffect(() => tail.follow(following), [tail, following]);
  return tail;
}

/**
 * Draws the component again when this part of the view changes, which for some parts is many times
 * a second.
 */
export function useTailView<Part>(tail: Tail, part: (view: TailView) => Part): Part {
  return useSyncExternalStore(tail.subscribe, () => part(tail.look()));
}
