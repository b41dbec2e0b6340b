/** Keeps what the user prefers the same in every browser. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { keepPreferences, preferencesQuery } from '../api/preferences';
import { applyPreferences, isSame, readPreferences } from './preferences';

/** How often it is seen whether something was chosen. */
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
      // What cannot be kept now goes along with the next choice: it holds here either way.
      keepPreferences(chosen).catch(() => undefined);
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [kept]);
}
