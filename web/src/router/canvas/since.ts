/** The time since when a destination has been unreachable, and when it is tried again. Pure. */
import type { DestinationStatus } from '../../api/model';
import { type Zone, partsOf } from '../../ui/time';

const DAY_MS = 86_400_000;

type Of = Pick<DestinationStatus, 'failing_since' | 'next_try'>;

/** `since 12:48, next try in 14 s`; with the day if that is longer ago. */
export function sinceText({ failing_since, next_try }: Of, zone: Zone, now = Date.now()): string {
  const parts = failing_since == null ? null : partsOf(failing_since, zone);
  const isOld = failing_since != null && now - Date.parse(failing_since) > DAY_MS / 2;
  const since =
    parts === null ? '' : `since ${isOld ? `${parts.date} ` : ''}${parts.clock.slice(0, 5)}`;
  if (next_try == null) return since;
  const seconds = Math.round((Date.parse(next_try) - now) / 1000);
  const next = seconds < 1 ? 'trying now' : `next try in ${seconds} s`;
  return since === '' ? next : `${since}, ${next}`;
}
