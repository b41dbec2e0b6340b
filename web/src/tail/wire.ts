/** The requests of a tail. */
import { requestZone } from '../ui/time';

export type TailRequest = { query: string; logspaces: readonly string[] };

/** The number of stored messages to begin with, so that there is something to look at. */
const FIRST_MESSAGES = 200;

/** The most that one event brings. */
export const EVENT_MESSAGES_MAX = 500;

/** A position is sent in a header; with one, no stored messages are requested. */
export function tailPath({ query, logspaces }: TailRequest, position: string | null): string {
  const zone = requestZone();
  const params = new URLSearchParams({
    query,
    unparsed: 'text',
    ...(logspaces.length > 0 && { logspaces: logspaces.join(',') }),
    ...(zone !== 'UTC' && { timezone: zone }),
    ...(position === null && { last: String(FIRST_MESSAGES) }),
  });
  return `/api/v1/tail?${params.toString()}`;
}
