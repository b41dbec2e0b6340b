/** The words for stale values: the time since when, and the reason. Pure. */
import type { StaleReason } from '../api/freshness';
import { type Zone, momentText } from './time';

type Unknown = { since: number | null; why: StaleReason };

/** `Not known since 14:03:22: the server cannot be reached.` */
export function staleText({ since, why }: Unknown, zone: Zone): string {
  switch (why) {
    case 'asking':
      return 'Checking…';
    case 'refused':
      return 'Not known to you: this needs access to all logspaces.';
    case 'away':
      return `${notKnown(since, zone)}: the server cannot be reached.`;
    case 'silent':
      return `${notKnown(since, zone)}: the server does not answer.`;
    case 'failed':
      return `${notKnown(since, zone)}: the server failed to say.`;
  }
}

/** `14:03:22`. */
export function clockText(at: number, zone: Zone): string {
  return momentText(new Date(at).toISOString(), zone).slice(11, 19);
}

function notKnown(since: number | null, zone: Zone): string {
  return since === null ? 'Not known' : `Not known since ${clockText(since, zone)}`;
}
