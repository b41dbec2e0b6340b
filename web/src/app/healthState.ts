/** How the server is, in a word. */
import type { Health } from '../api/health';
import type { Trouble } from '../api/status';

export type HealthState = 'checking' | 'ready' | 'trouble' | 'not-ready' | 'unreachable';

export function stateOf(health: Health | undefined, troubles: readonly Trouble[]): HealthState {
  if (health === undefined) return 'checking';
  if (health.state !== 'ready') return health.state;
  return troubles.some(({ now }) => now) ? 'trouble' : 'ready';
}

export function nameOf(state: HealthState): string {
  switch (state) {
    case 'checking':
      return 'checking';
    case 'ready':
      return 'ready';
    case 'trouble':
      return 'in trouble';
    case 'not-ready':
      return 'not ready';
    case 'unreachable':
      return 'unreachable';
  }
}
