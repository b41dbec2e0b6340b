/** What a tail asks the server, and what it hears. */
import type { ServerEvent } from '../api/eventParser';
import type { Message } from '../api/model';
import type { components } from '../api/types';
import { requestZone } from '../ui/time';

export type TailStatus = components['schemas']['TailStatus'];

export type TailEvent =
  | { kind: 'messages'; messages: readonly Message[] }
  | { kind: 'status'; status: TailStatus }
  | { kind: 'gap'; messages: number; reason: string };

export type TailRequest = { query: string; logspaces: readonly string[] };

/** How many stored messages to begin with, so that there is something to look at. */
const FIRST_MESSAGES = 200;

/** The most that one event brings. */
export const EVENT_MESSAGES_MAX = 500;

/** A position is sent in a header; with one, no stored messages are requested. */
export function tailPath({ query, logspaces }: TailRequest, position: string | null): string {
  const zone = requestZone();
  const params = new URLSearchParams({
    query,
    ...(logspaces.length > 0 && { logspaces: logspaces.join(',') }),
    ...(zone !== 'UTC' && { timezone: zone }),
    ...(position === null && { last: String(FIRST_MESSAGES) }),
  });
  return `/api/v1/tail?${params.toString()}`;
}

/** Null for events that this console does not know. */
export function readEvent({ name, data }: ServerEvent): TailEvent | null {
  switch (name) {
    case 'messages': {
      const { messages } = JSON.parse(data) as components['schemas']['TailMessages'];
      return { kind: 'messages', messages };
    }
    case 'status':
      return { kind: 'status', status: JSON.parse(data) as TailStatus };
    case 'gap': {
      const { messages, reason } = JSON.parse(data) as components['schemas']['TailGap'];
      return { kind: 'gap', messages, reason };
    }
    default:
      return null;
  }
}
