/** The props that all parts of a field in the sidebar share. */
import type { Facet, QueryEdit, WrittenClause } from '../../api/model';
import type { MessageState } from '../messageState';

/** The actions of the sidebar on the search. */
export type SidebarActions = {
  /** Changes the query and runs it. */
  onEdit: (edits: readonly QueryEdit[]) => void;
  /** Changes how the same messages are shown. */
  onChange: (part: Partial<MessageState>) => void;
};

/** The props of the sidebar. */
export type FacetsProps = SidebarActions & {
  state: MessageState;
  facets: Record<string, Facet> | undefined;
  /** Whether they belong to the previous question, while the current one is being answered. */
  stale?: boolean;
  /** The error, if there are none. */
  error: Error | null;
  onRetry: () => void;
};

export type FieldProps = SidebarActions & {
  state: MessageState;
  field: string;
  choice: Choice;
};

export type Choice = {
  values: readonly string[];
  excluded: readonly string[];
  low: number | undefined;
  high: number | undefined;
};

/**
 * The part of a field that the clauses of a query select: values, or a range of numbers. Pure.
 * Names of fields differ by more than case.
 */
export function choiceOf(clauses: readonly WrittenClause[], field: string): Choice {
  const own = clauses.filter(({ fields: [only, ...others] }) => {
    return others.length === 0 && only?.toLowerCase() === field.toLowerCase();
  });
  const valuesOf = (negated: boolean) =>
    own.flatMap((clause) => (clause.negated === negated ? (clause.values ?? []) : []));
  return {
    values: valuesOf(false),
    excluded: valuesOf(true),
    low: own.find(({ low }) => low !== undefined)?.low,
    high: own.find(({ high }) => high !== undefined)?.high,
  };
}
