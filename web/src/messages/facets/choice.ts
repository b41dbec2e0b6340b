/** The part of a field that the clauses of a query select: values, or a range of numbers. Pure. */
import type { WrittenClause } from '../../api/model';

export type Choice = {
  values: readonly string[];
  excluded: readonly string[];
  low: number | undefined;
  high: number | undefined;
};

/** Names of fields differ by more than case. */
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
