/** The health of the server in one word. Its problems are worded as on the overview. */
import type { Health } from '../api/status';
import type { Freshness } from '../api/freshness';
import { type Cause, isBad, wordOf } from '../overview/causes';

export type HealthState =
  | 'checking'
  | 'ready'
  | 'look'
  | 'trouble'
  | 'not-ready'
  | 'unreachable'
  /** The server answers, but does not report its state. */
  | 'unknown'
  /** The server does not report its state to this user. */
  | 'hidden';

/** `known` is whether the list of causes is complete. */
export function stateOf(
  health: Health | undefined,
  known: Freshness,
  causes: readonly Cause[],
): HealthState {
  if (health === undefined) return 'checking';
  if (health.state !== 'ready') return health.state;
  if (!known.isKnown) {
    if (known.why === 'refused') return 'hidden';
    if (known.why !== 'asking') return 'unknown';
    // A known problem is shown even if other things are unknown.
    if (causes.length === 0) return 'checking';
  }
  if (causes.length === 0) return 'ready';
  return isBad(causes) ? 'trouble' : 'look';
}

export function nameOf(state: HealthState, causes: readonly Cause[]): string {
  switch (state) {
    case 'checking':
      return 'Checking…';
    case 'ready':
    case 'look':
    case 'trouble':
      return wordOf(causes);
    case 'not-ready':
      return 'Not ready';
    case 'unreachable':
      return 'No answer';
    case 'unknown':
      return 'Not known';
    case 'hidden':
      return 'Not known to you';
  }
}
