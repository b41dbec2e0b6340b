/** The messages around one, as far as the reader has loaded them in both directions. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Message } from '../../api/model';

export const CONTEXT_STEP = 20;

/** The conditions for the messages around another one. */
export type ContextScope = {
  /** Fields whose values have to be the same. */
  same: readonly string[];
  query: string;
};

type Page = {
  message: Message;
  before: Message[];
  after: Message[];
  more_before: boolean;
  more_after: boolean;
};

/** The message at which a request starts, and the numbers of messages in each direction. */
type From = { id: string; before: number; after: number };

export function contextQuery(id: string, { same, query }: ContextScope) {
  return infiniteQueryOptions({
    queryKey: ['context', id, same, query],
    queryFn: ({ pageParam, signal }): Promise<Page> => {
      const { id: from, before, after } = pageParam;
      const asked = {
        before,
        after,
        ...(same.length > 0 && { same: same.join(',') }),
        ...(query.trim() !== '' && { query }),
      };
      const params = { path: { id: from }, query: asked };
      return unwrap(client.GET('/api/v1/messages/{id}/context', { params, signal }));
    },
    initialPageParam: { id, before: CONTEXT_STEP, after: CONTEXT_STEP },
    getPreviousPageParam: (page): From | null => {
      const oldest = page.before[0];
      return page.more_before && oldest !== undefined
        ? { id: oldest.id, before: CONTEXT_STEP, after: 0 }
        : null;
    },
    getNextPageParam: (page): From | null => {
      const newest = page.after.at(-1);
      return page.more_after && newest !== undefined
        ? { id: newest.id, before: 0, after: CONTEXT_STEP }
        : null;
    },
    staleTime: 60_000,
  });
}

/** All pages as one list, oldest first, with the message itself in its place. */
export function contextOf(pages: readonly Page[], id: string): Message[] {
  const first = pages.findIndex(({ message }) => message.id === id);
  const own = pages[first];
  if (own === undefined) return [];
  return [
    ...pages.slice(0, first).flatMap(({ before }) => before),
    ...own.before,
    own.message,
    ...own.after,
    ...pages.slice(first + 1).flatMap(({ after }) => after),
  ];
}
