/** Asks the server for the way of one message. */
import { under } from '../base';
import { csrfHeaders, networkError, readProblem, tellSessionLoss, ApiError } from './client';
import type * as Schemas from './types';

/** A message at one place of its way. */
export type Shown = Schemas.Shown;
export type TraceRoute = Schemas.RouteTrace;
export type Trace = Schemas.Trace;
export type TraceRequest = { id?: string; raw?: string; source?: string; document?: unknown };

export async function requestTrace(request: TraceRequest): Promise<Trace> {
  const response = await fetch(under('/api/v1/router/trace'), {
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
