/** The values that all messages of a result share, by the counts of all of it. */
import type { Facet } from '../../api/model';
import { type Common, nothingCommon } from '../../ui/message/rowLayout';
import type { Summary } from '../queries';

export function commonOf(summary: Summary | undefined): Common {
  const total = summary?.histogram?.total;
  if (total === undefined || summary?.done !== true || !summary.complete) return nothingCommon;
  return {
    host: sharedBy(total, summary.facets?.['host']),
    program: sharedBy(total, summary.facets?.['program']),
  };
}

/**
 * The value that as many messages have as there are. The values that a clause of the query leaves out are counted too;
 * who relies on this looks whether a message of the result has the value, so that it is none of those.
 */
function sharedBy(total: number, facet: Facet | undefined): string | null {
  if (facet === undefined || facet.partial !== undefined) return null;
  return facet.values.find(({ count }) => count === total)?.value ?? null;
}
