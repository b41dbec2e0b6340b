/**
 * Whether answers of the server may be shown as how things are now. Pure, and a hook that applies it.
 *
 * **Invariant:** what is old, refused or not answered yet is not known; nothing that is not known may look well.
 */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from './client';
import { type Health, healthQuery } from './status';

export type Freshness =
  | { isKnown: true }
  /** `since` is the time when it was last known; null if it never was. */
  | { isKnown: false; since: number | null; why: StaleReason };

/**
 * The request has not been answered yet, the server is away or silent, it refuses to answer, or it
 * failed.
 */
export type StaleReason = 'asking' | 'away' | 'silent' | 'refused' | 'failed';

/** The state of a query in the cache. */
export type QueryState = { data: unknown; dataUpdatedAt: number; error: Error | null };

/** Several times the longest interval at which figures are polled. */
export const AGE_MAX_MS = 30_000;

export function freshnessOf(
  answers: readonly QueryState[],
  health: Health | undefined,
  now: number,
  ageMaxMs = AGE_MAX_MS,
): Freshness {
  const isHere = answers.every(({ data }) => data !== undefined);
  const oldest = Math.min(...answers.map(({ dataUpdatedAt }) => dataUpdatedAt));
  const not = (why: StaleReason): Freshness => ({
    isKnown: false,
    since: isHere ? oldest : null,
    why,
  });
  const errors = answers.flatMap(({ error }) => (error === null ? [] : [error]));
  if (errors.some(isForbidden)) return not('refused');
  if (health?.state === 'unreachable') return not(health.why);
  if (errors.length > 0) return not(errors.some(isUnreachable) ? 'away' : 'failed');
  if (!isHere || health === undefined) return not('asking');
  return now - oldest > ageMaxMs ? not('silent') : { isKnown: true };
}

/** Whether the figures of the page are still fresh, updated as time passes. */
export function useFreshness(answers: readonly QueryState[], ageMaxMs = AGE_MAX_MS): Freshness {
  const { data: health } = useQuery(healthQuery);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return freshnessOf(answers, health, now, ageMaxMs);
}

/** Whether the server is away, so that nothing on the page is known to be current. */
export function useIsAway(): boolean {
  return useQuery(healthQuery).data?.state === 'unreachable';
}

const LOOK_MS = 5_000;
const FORBIDDEN = 403;

/** Whether the caller is not allowed to know. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === FORBIDDEN;
}

function isUnreachable(error: Error): boolean {
  return error instanceof ApiError && error.status === 0;
}
