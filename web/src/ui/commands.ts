/** The commands of the palette: each page adds its own while it is shown. */
import { useEffect, useRef } from 'react';
import { useBindings } from './useKeys';

export type Command = {
  id: string;
  title: string;
  /** The keys, which are bound while the command exists, and listed in the help. */
  keys?: string;
  /** The heading in the palette and the help; by default it is the current page. */
  group?: string;
  /** Other words by which it can be found. */
  words?: string;
  run: () => void;
};

type Holder = { current: readonly Command[] };
const holders = new Set<Holder>();

export function useCommands(commands: readonly Command[]): void {
  useBindings(
    commands.flatMap(({ title, keys, group = '', run }) =>
      keys === undefined ? [] : [{ keys, does: title, group, run }],
    ),
  );
  const holder = useRef(commands);
  useEffect(() => {
    holder.current = commands;
  });
  useEffect(() => {
    holders.add(holder);
    return () => void holders.delete(holder);
  }, []);
}

/** Everything that can be done right now. */
export function availableCommands(): Command[] {
  return [...holders].flatMap(({ current }) => current);
}
