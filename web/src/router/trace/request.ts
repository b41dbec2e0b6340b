/** Asks the server for the way of one message. */
import {
  csrfHeaders,
  networkError,
  readProblem,
  tellSessionLoss,
  ApiError,
} from '../../api/client';
import type { Trace, TraceRequest } from '../testing/wire';

export async function requestTrace(request: TraceRequest): Promise<Trace> {
  const response = await fetch('/api/v1/router/trace', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...csrfHeaders() },
    body: JSON.stringify(request),
  }).catch(networkError);
  if (!response.ok) {
    if (response.status === 401) tellSessionLoss();
    throw new ApiError(readProblem(await response.json().catch(() => undefined), response));
  }
  return (await response.json()) as Trace;
}

/** The routes and targets that the message passes, by their ids. */
export function litBy(trace: Trace): ReadonlySet<string> {
  const taken = trace.routes.filter(({ verdict }) => verdict === 'taken');
  const targets = trace.outcome.map((target) => target.replace(/^[a-z]+:/, ''));
  return new Set([...taken.map(({ id }) => id), ...targets]);
}
