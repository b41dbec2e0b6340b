/** Whether the server takes messages: its own answer, or that it cannot be reached. */
import { queryOptions } from '@tanstack/react-query';

export type Health =
  { state: 'ready' } | { state: 'not-ready'; reasons: string } | { state: 'unreachable' };

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }): Promise<Health> => {
    try {
      const response = await fetch('/readyz', { signal });
      if (response.ok) return { state: 'ready' };
      return { state: 'not-ready', reasons: (await response.text()).trim() };
    } catch (error) {
      if (signal.aborted) throw error;
      return { state: 'unreachable' };
    }
  },
  refetchInterval: 5_000,
});
