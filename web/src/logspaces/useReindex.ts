/** Rebuilds the indexes of a logspace, and says what became of them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Reindexing, logspacesQuery, reindexLogspace } from '../api/logspaces';
import { formatCount, formatMessages } from '../ui/number';
import { formatLength } from '../ui/time';
import { toast } from '../ui/toast';

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
