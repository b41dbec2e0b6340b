/**
 * Announces a change of a logspace that has gone live as a revision: what it changes is requested
 * again, and a toast states it.
 */
import { useQueryClient } from '@tanstack/react-query';
import { logspacesQuery } from '../api/logspaces';
import { toast } from '../ui/toast';

export function useRevisionLive() {
  const cache = useQueryClient();
  return async (revision: number, detail?: string) => {
    await cache.invalidateQueries({ queryKey: logspacesQuery.queryKey });
    void cache.invalidateQueries({ queryKey: ['router'] });
    const title = `Revision ${revision} is live`;
    toast({ tone: 'good', title, ...(detail !== undefined && { detail }) });
  };
}
