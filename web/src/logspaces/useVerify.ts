/**
 * Checks logspaces one after the other, as the server reads one at a time. Results are kept while the console is open.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Reindexing,
  type Verification,
  logspacesQuery,
  reindexLogspace,
  verifyLogspace,
} from '../api/logspaces';
import { toast } from '../ui/toast';
import { formatCount, formatMessages } from '../ui/number';
import { formatLength } from '../ui/time';

export type Check =
  | { kind: 'none' }
  | { kind: 'waiting' }
  | { kind: 'running' }
  | { kind: 'done'; verification: Verification; at: number };

type Run = { ids: readonly string[]; at: number };

const keyOf = (id: string) => ['logspace', id, 'verified'];

export function useVerify() {
  const cache = useQueryClient();
  const [run, setRun] = useState<Run | null>(null);
  const verify = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const [at, id] of ids.entries()) {
        setRun({ ids, at });
        const verification = await verifyLogspace(id);
        cache.setQueryDefaults(keyOf(id), { gcTime: Infinity });
        const done: Check = { kind: 'done', verification, at: Date.now() };
        cache.setQueryData(keyOf(id), done);
      }
    },
    onError: (error) =>
      toast({ tone: 'error', title: 'The check did not finish', detail: error.message }),
    onSettled: () => {
      setRun(null);
      return cache.invalidateQueries({ queryKey: logspacesQuery.queryKey });
    },
  });
  const running = run?.ids[run.at] ?? null;
  return {
    running,
    start: (ids: readonly string[]) => {
      if (run === null) verify.mutate(ids);
    },
    of: (id: string): Check => {
      const place = run?.ids.indexOf(id) ?? -1;
      if (run !== null && place === run.at) return { kind: 'running' };
      if (run !== null && place > run.at) return { kind: 'waiting' };
      return cache.getQueryData<Check>(keyOf(id)) ?? { kind: 'none' };
    },
  };
}

/** Rebuilds the indexes of a logspace, and reports the result. */
export function useReindex() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: reindexLogspace,
    onSuccess: (done, id) => toast(said(id, done)),
    onError: (error) =>
      toast({ tone: 'error', title: 'The indexes are not rebuilt', detail: error.message }),
    onSettled: () => cache.invalidateQueries({ queryKey: logspacesQuery.queryKey }),
  });
}

function said(id: string, { complete, indexes, messages, failures, took_ms }: Reindexing) {
  const [first] = failures;
  if (first !== undefined) {
    const title = `${formatCount(failures.length)} indexes of ${id} are not rebuilt`;
    return { tone: 'error', title, detail: first } as const;
  }
  if (!complete) {
    return { tone: 'error', title: `The indexes of ${id} are rebuilt in part` } as const;
  }
  const title = `The indexes of ${id} are rebuilt`;
  const detail = `${formatCount(indexes)} of ${formatMessages(messages)}, in ${formatLength(took_ms)}`;
  return { tone: 'good', title, detail } as const;
}
