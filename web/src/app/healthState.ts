/** How the server is, in a word. What is wrong with what it does is said as on the overview. */
import type { Health } from '../api/health';
import { type Cause, isBad, wordOf } from '../overview/causes';

export type HealthState = 'checking' | 'ready' | 'look' | 'trouble' | 'not-ready' | 'unreachable';

export function stateOf(health: Health | undefined, causes: readonly Cause[]): HealthState {
  if (health === undefined) return 'checking';
  if (health.state !== 'ready') return health.state;
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
      return 'Unreachable';
  }
}
