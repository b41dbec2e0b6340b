/** Messages side by side, one row per field, and where they differ. */
import type { Message } from '../../api/model';
import { fieldGroups, valuesOf } from '../../ui/message/fields';

export type ComparedRow = {
  field: string;
  /** A text for each message; null where it lacks the field. */
  values: readonly (string | null)[];
  differs: boolean;
};

/** In the order in which the fields of a message are told, those of the first one first. The text is not among them. */
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
