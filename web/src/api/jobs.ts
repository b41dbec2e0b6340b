/** Long work that goes on at the server, whether or not a page is open. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type * as Schemas from './types';

export type Job = Schemas.Job;
export type JobProgress = Schemas.JobProgress;
export type Verification = Schemas.VerifyJobResult;
export type Reindexing = Schemas.ReindexJobResult;

const JOBS_SHOWN = 50;
const BUSY_POLL_MS = 1_000;
const POLL_MS = 15_000;

/** Whether the job waits or runs. */
export function isUnfinished({ state }: Job): boolean {
  return state === 'queued' || state === 'running' || state === 'cancelling';
}

/** The newest jobs that the user may see, asked for again and again. */
export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: JOBS_SHOWN } };
    return (await unwrap(client.GET('/api/v1/jobs', { params, signal }))).jobs;
  },
  refetchInterval: ({ state }) => (state.data?.some(isUnfinished) ? BUSY_POLL_MS : POLL_MS),
});

/** Starts to check a logspace, or to rebuild its indexes. */
export function startUpkeep(kind: 'verify' | 'reindex', id: string): Promise<Job> {
  const params = { path: { id } };
  return unwrap(
    kind === 'verify'
      ? client.POST('/api/v1/logspaces/{id}/verify', { params })
      : client.POST('/api/v1/logspaces/{id}/reindex', { params }),
  );
}

/** Asks a job to end. */
export function cancelJob(id: string): Promise<Job> {
  return unwrap(client.POST('/api/v1/jobs/{id}/cancel', { params: { path: { id } } }));
}
