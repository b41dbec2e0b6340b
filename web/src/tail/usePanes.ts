/**
 * The panes of the page, and which of them are followed. A tail keeps its identity when one before it is closed, and
 * with that its lines.
 */
import { useCallback, useMemo, useState } from 'react';
import { TAILS_MAX } from './tailParams';

type Pane = { id: number; following: boolean; follow: (following: boolean) => void };

type Panes = {
  shown: readonly Pane[];
  followAll: (following: boolean) => void;
  remove: (at: number) => void;
};

const initialIds: readonly number[] = Array.from({ length: TAILS_MAX }, (_, id) => id);

export function usePanes(count: number): Panes {
  /** One for every tail that there can be; those that are closed go to the end, with a new identity. */
  const [ids, setIds] = useState(initialIds);
  const [stopped, setStopped] = useState<ReadonlySet<number>>(new Set());
  const follow = useCallback(
    (id: number, following: boolean) =>
      setStopped((known) => {
        if (known.has(id) !== following) return known;
        const next = new Set(known);
        if (following) next.delete(id);
        else next.add(id);
        return next;
      }),
    [],
  );
  const follows = useMemo(
    () => new Map(ids.map((id) => [id, (following: boolean) => follow(id, following)])),
    [ids, follow],
  );
  return {
    shown: ids.slice(0, count).map((id) => ({
      id,
      following: !stopped.has(id),
      follow: follows.get(id) ?? (() => undefined),
    })),
    followAll: (following) => setStopped(new Set(following ? [] : ids)),
    remove: (at) => setIds((known) => [...known.toSpliced(at, 1), Math.max(...known) + 1]),
  };
}
