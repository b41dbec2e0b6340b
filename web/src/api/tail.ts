/** The events of a tail. */
import type { ServerEvent } from './eventParser';
import type { Message } from './model';
import type * as Schemas from './types';

export type TailStatus = Schemas.TailStatus;

export type TailEvent =
  | { kind: 'messages'; messages: readonly Message[] }
  | { kind: 'status'; status: TailStatus }
  | { kind: 'gap'; messages: number; reason: string };

/** Null for events that this console does not know. */
export function readEvent({ name, data }: ServerEvent): TailEvent | null {
  switch (name) {
    case 'messages': {
      const { messages } = JSON.parse(data) as Schemas.TailMessages;
      return { kind: 'messages', messages };
    }
    case 'status':
      return { kind: 'status', status: JSON.parse(data) as TailStatus };
    case 'gap': {
      const { messages, reason } = JSON.parse(data) as Schemas.TailGap;
      return { kind: 'gap', messages, reason };
    }
    default:
      return null;
  }
}
