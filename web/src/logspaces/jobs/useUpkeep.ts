/**
 * Checks logspaces and rebuilds their indexes. The server does it, one logspace at a time, and goes
 * on when the page is left.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Job, cancelJob, isUnfinished, jobsQuery, startUpkeep } from '../../api/jobs';
import { type Work, logspacesQuery, workQuery } from '../../api/logspaces';
import { toast } from '../../ui/toast';

const BUSY_POLL_MS = 1_000;
const POLL_MS = 5_000;

export type Upkeep = {
  jobs: readonly Job[];
  /** The running work, whoever started it. */
  work: Work | null;
  isVerifying: boolean;
  start: (kind: 'verify' | 'reindex', ids: readonly string[]) => void;
};

const none: readonly Job[] = [];

export function useUpkeep(): Upkeep {
  const cache = useQueryClient();
  const { data: jobs = none } = useQuery(jobsQuery);
  const { data: work = null } = useQuery({
    ...workQuery,
    refetchInterval: ({ state }) => (state.data == null ? POLL_MS : BUSY_POLL_MS),
  });
  const unfinished = jobs.filter(isUnfinished).length;
  // A check that has ended may have found damage, which the logspaces tell.
  useEffect(() => {
    void cache.invalidateQueries({ queryKey: logspacesQuery.queryKey });
  }, [cache, unfinished]);
  const started = useMutation({
    mutationFn: async ({ kind, ids }: { kind: 'verify' | 'reindex'; ids: readonly string[] }) => {
      for (const id of ids) await startUpkeep(kind, id);
    },
    onError: (error) =>
      toast({ tone: 'error', title: 'It was not started', detail: error.message }),
    onSettled: () => cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
  });
  return {
    jobs,
    work,
    isVerifying:
      started.isPending || jobs.some((job) => job.kind === 'verify' && isUnfinished(job)),
    start: (kind, ids) => started.mutate({ kind, ids }),
  };
}

/** Asks a job to end. */
export function useCancelJob() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: cancelJob,
    onError: (error) =>
      toast({ tone: 'error', title: 'The job is not cancelled', detail: error.message }),
    onSettled: () => cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
  });
}
