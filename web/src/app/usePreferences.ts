/** Keeps what the user prefers the same in every browser. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { keepPreferences, preferencesQuery } from '../api/preferences';
import { applyPreferences, isSame, readPreferences } from './preferences';

/** The interval at which choices are looked for. */
const LOOK_MS = 1_000;

export function usePreferences(): void {
  const { data: kept } = useQuery(preferencesQuery);
  useEffect(() => {
    if (kept === undefined) return;
    applyPreferences(kept, localStorage);
    let told = kept;
    const look = () => {
      const chosen = readPreferences(localStorage);
      if (isSame(chosen, told)) return;
      told = chosen;
      // A choice that cannot be saved now is saved with the next one; this browser keeps it either way.
      keepPreferences(chosen).catch(() => undefined);
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [kept]);
}
