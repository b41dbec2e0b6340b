/** When to warn of the end of a session. */

const WARN_MS = 120_000;
/** The longest time for a browser timer. */
const WAIT_MAX_MS = 2 ** 31 - 1;

/** The time to wait before a warning is due; null if the session has no end. */
export function waitBeforeWarning(endsAt: number | null, now: number): number | null {
  if (endsAt === null) return null;
  return Math.min(Math.max(endsAt - WARN_MS - now, 0), WAIT_MAX_MS);
}

/** Whether the session ends so soon that its user should know. */
export function endsSoon(endsAt: number | null, now: number): boolean {
  return endsAt !== null && endsAt - now <= WARN_MS;
}
