/** The groups of the sidebar, with their fields in order. Pure. */
import type { Facet, FieldsResult } from '../../api/model';

/** Fields that every message may have, and that are shown without being looked for. */
export const commonFields: readonly string[] = ['facility', 'source', 'logspace', 'msgid'];
/** The number of found fields that are open by default. */
const OPEN_MAX = 2;

/** A field that was found. */
export type FoundFields = {
  field: string;
  /** The fraction of the messages that have it, from 0 to 1. */
  coverage: number;
  /** Its value, if all messages have the same one. */
  only: string | undefined;
  /** The values that are already known. */
  facet: Facet | undefined;
  /** Whether its values are shown unless the user closes it. */
  opens: boolean;
};

/**
 * The fields of these messages that are not pinned: useful ones first, those with a single value
 * last.
 */
export function foundFields(
  pinned: readonly string[],
  facets: Readonly<Record<string, Facet>>,
  response: FieldsResult | undefined,
): FoundFields[] {
  const isPinned = (field: string) => pinned.some((other) => isSame(other, field));
  const messages = Math.max(response?.messages ?? 0, 1);
  const common = commonFields.flatMap((field): FoundFields[] => {
    const facet = facets[field];
    if (facet === undefined || facet.messages === 0 || isPinned(field)) return [];
    const coverage = Math.min(facet.messages / messages, 1);
    const only = facet.distinct === 1 ? facet.values[0]?.value : undefined;
    return [{ field, coverage, only, facet, opens: false }];
  });
  const dynamic = (response?.fields ?? [])
    .filter(({ name }) => !isPinned(name))
    .map(({ name, messages: count, value }, at): FoundFields => {
      const coverage = count / messages;
      return { field: name, coverage, only: value, facet: undefined, opens: at < OPEN_MAX };
    });
  const all = [...dynamic, ...common];
  return [...all.filter(({ only }) => only === undefined), ...all.filter(hasOneValue)];
}

function hasOneValue({ only }: FoundFields): boolean {
  return only !== undefined;
}

export function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
