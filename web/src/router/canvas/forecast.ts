/** The forecast for a queue if the current rates continue. Pure. */
import type { QueueRates } from './measure';

export type QueueDepth = { messages: number; bytes: number; bytesMax: number };

export type Forecast =
  /**
   * Nothing waits for longer than the interval between two readings, so it is not worth mentioning.
   */
  | { kind: 'empty' }
  /** The queue has not been observed for long enough. */
  | { kind: 'unknown' }
  | { kind: 'full' }
  | { kind: 'fills'; seconds: number }
  | { kind: 'drains'; seconds: number }
  /** Nothing arrives and nothing leaves, or both rates are equal. */
  | { kind: 'steady' };

/** Messages that leave within this time do not count as waiting. */
const PASSING_SECONDS = 3;
/** A queue counts as steady if it would take longer than this to fill or to drain. */
const STEADY_SECONDS = 30 * 86_400;

export function forecastOf(depth: QueueDepth, rates: QueueRates | undefined): Forecast {
  const { messages, bytes, bytesMax } = depth;
  if (messages === 0) return { kind: 'empty' };
  if (bytesMax > 0 && bytes >= bytesMax) return { kind: 'full' };
  if (rates === undefined) return { kind: 'unknown' };
  if (messages <= rates.out * PASSING_SECONDS) return { kind: 'empty' };
  const growth = rates.in - rates.out;
  if (growth > 0 && bytesMax > 0) {
    const seconds = (bytesMax - bytes) / (growth * (bytes / messages));
    return seconds < STEADY_SECONDS ? { kind: 'fills', seconds } : { kind: 'steady' };
  }
  const seconds = messages / -growth;
  return growth < 0 && seconds < STEADY_SECONDS ? { kind: 'drains', seconds } : { kind: 'steady' };
}

/** `full in 2 h 24 min`, `drains in 40 s`; empty if there is nothing to say. */
export function forecastText(forecast: Forecast): string {
  switch (forecast.kind) {
    case 'empty':
    case 'steady':
      return '';
    case 'unknown':
      return 'measuring…';
    case 'full':
      return 'full';
    case 'fills':
      return `full in ${aboutSeconds(forecast.seconds)}`;
    case 'drains':
      return `drains in ${aboutSeconds(forecast.seconds)}`;
  }
}

/**
 * A duration with the precision that a forecast can have: `40 s`, `12 min`, `2 h 24 min`, `3 d 4
 * h`.
 */
export function aboutSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return pair(hours, 'h', minutes % 60, 'min');
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(large: number, unit: string, small: number, ofIt: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${ofIt}`;
}
