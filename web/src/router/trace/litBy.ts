/** What a message passes on its way. */
import type { Trace } from '../../api/trace';

/** The routes and targets that the message passes, by their ids. */
export function litBy(trace: Trace): ReadonlySet<string> {
  const taken = trace.routes.filter(({ verdict }) => verdict === 'taken');
  const targets = trace.outcome.map((target) => target.replace(/^[a-z]+:/, ''));
  return new Set([...taken.map(({ id }) => id), ...targets]);
}
