/**
 * Changes a query after a click. The server writes the new text, because only it knows how to
 * quote.
 */
import { useCallback, useEffect, useRef } from 'react';
import { problemOf } from '../../api/client';
import type { QueryEdit } from '../../api/model';
import { edited } from '../../api/query';
import { toast } from '../toast';

export type EditQuery = (edits: readonly QueryEdit[], apply: (query: string) => void) => void;

/**
 * Clicks wait for each other, so that the second of two quick ones does not undo the first. A click on a part of the
 * query is for the text that it was seen in, and one that was overtaken by another query is for nothing. `asked` tells
 * what was asked for since and is not shown yet: a click is for that.
 */
export function useEdit(query: string, asked: () => string | null = nothing): EditQuery {
  const text = useRef(query);
  const queue = useRef(Promise.resolve());
  const page = useRef<AbortController>(null);
  useEffect(() => {
    text.current = query;
  }, [query]);
  useEffect(() => {
    const controller = new AbortController();
    page.current = controller;
    return () => controller.abort();
  }, []);
  return useCallback<EditQuery>(
    (edits, apply) => {
      const signal = page.current?.signal;
      const newest = () => asked() ?? text.current;
      const change = async () => {
        const before = newest();
        if (edits.some((edit) => 'start' in edit) && before !== query) return;
        const after = await edited(before, edits, signal);
        if (signal?.aborted === true || newest() !== before) return;
        text.current = after;
        apply(after);
      };
      queue.current = queue.current.then(change).catch((error: unknown) => {
        if (signal?.aborted !== true) tellFailure(error);
      });
    },
    [query, asked],
  );
}

const nothing = () => null;

function tellFailure(error: unknown): void {
  const { title, detail } = problemOf(error);
  toast({ tone: 'error', title: 'The query was not changed', detail: detail ?? title });
}

/** The edit for `field=value`, or for everything except it. */
export function valueEdit(field: string, value: string, exclude: boolean): QueryEdit {
  return { op: exclude ? 'exclude' : 'include', field, value };
}
