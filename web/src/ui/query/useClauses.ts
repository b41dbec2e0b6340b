/**
 * The tokens of a query while it is typed, as interpreted by the server, and the actions on a
 * click.
 */
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useMemo } from 'react';
import { readingQuery } from '../../api/query';
import type { QueryFieldHandle } from './QueryEditor';
import { type Clause, type ClauseAction, type Clauses, clausesOf } from './clauses';
import { useEdit } from './useEdit';

/** The short pause in typing after which the query is interpreted, so that tokens appear soon. */
const READ_REST_MS = 120;
const NOTHING_READ = { clauses: [], stages: [] };

export function useClauses(draft: string): Clauses {
  const [rested] = useDebouncedValue(draft, READ_REST_MS);
  const { data } = useQuery(readingQuery(rested));
  return useMemo(
    () => clausesOf(rested, rested.trim() === '' || data === undefined ? NOTHING_READ : data),
    [rested, data],
  );
}

/** `onOff` is called with the remaining query and the part that was switched off. */
export function useClauseActions(
  draft: string,
  field: RefObject<QueryFieldHandle | null>,
  onQuery: (query: string) => void,
  onOff: (query: string, part: string) => void,
): (action: ClauseAction, clause: Clause) => void {
  const edit = useEdit(draft);
  return (action, { text, start, end }) => {
    const span = { start, end };
    switch (action) {
      case 'edit':
        field.current?.select(start, end);
        return;
      case 'negate':
        edit([{ op: 'negate', ...span }], onQuery);
        return;
      case 'remove':
        edit([{ op: 'remove', ...span }], onQuery);
        return;
      case 'off':
        edit([{ op: 'remove', ...span }], (query) => onOff(query, text));
    }
  };
}
