/** Since when the live revision is live, and whether the server was restarted in between. Pure. */

/** What applying a revision may take. */
const APPLY_MS_MAX = 10_000;

type Since = { applied: string | undefined; restarted: string | undefined };

/** `startedAt` is when the server took the revision up: when it was applied, or when the server began after that. */
export function liveSince(startedAt: string | undefined, appliedAt: string | undefined): Since {
  const isLater =
    startedAt !== undefined &&
    appliedAt !== undefined &&
    Date.parse(startedAt) - Date.parse(appliedAt) > APPLY_MS_MAX;
  return { applied: appliedAt ?? startedAt, restarted: isLater ? startedAt : undefined };
}
