/** Messages side by side, one row per field, and where they differ. */
import type { Message } from '../../api/model';
import { fieldGroups, valuesOf } from '../../ui/message/fields';

export type ComparedRow = {
  field: string;
  /** The value of each message; null if it lacks the field. */
  values: readonly (string | null)[];
  differs: boolean;
};

/**
 * The rows in the usual order of a message's fields, those of the first message first. The text is
 * not included.
 */
export function comparedRows(messages: readonly Message[]): ComparedRow[] {
  const groups = messages.flatMap((message) => fieldGroups(message));
  const titles = [...new Set(groups.map(({ title }) => title))];
  const fields = titles.flatMap((title) =>
    groups.filter((group) => group.title === title).flatMap(({ rows }) => rows),
  );
  return [...new Set(fields.map(({ field }) => field))].map((field) => {
    const values = messages.map((message) => valueOf(message, field));
    return { field, values, differs: values.some((value) => value !== values[0]) };
  });
}

function valueOf(message: Message, field: string): string | null {
  const values = valuesOf(message, field);
  return values.length === 0 ? null : values.join(', ');
}
