/** What a route does, in one sentence. Pure. */
import { type Item, listOf } from '../document';
import { stepsOf } from '../steps/steps';

/** `takes` and `total` are messages a second. */
export function sentenceOf(route: Item, takes: number | undefined, total: number): string {
  if (route['enabled'] === false) return 'Is off: messages pass it by.';
  const share =
    takes === undefined || total === 0
      ? 'Takes what matches'
      : `Takes ${percent(takes / total)} of the traffic`;
  const steps = stepsOf(route).length;
  const changes = steps === 0 ? '' : `, changes it in ${steps === 1 ? '1 step' : `${steps} steps`}`;
  const targets = listOf(route['to']);
  const sends = targets.length === 0 ? 'has no target yet' : `sends it to ${inWords(targets)}`;
  const ends = route['final'] === true ? 'ends there' : 'lets later routes see it too';
  return `${share}${changes}, ${sends}, and ${ends}.`;
}

function percent(share: number): string {
  const value = 100 * Math.min(share, 1);
  return `${value > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

function inWords(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
