/** A message as fields and values, in the order in which users need them. */
import type { Message } from '../../api/model';
import { canonicalField } from '../highlight';

export type FieldRow = {
  field: string;
  value: string;
  /**
   * `filter`: a click can add the value to the query. `time` and `plain` values are only displayed.
   */
  kind: 'filter' | 'time' | 'plain';
};

export type FieldGroup = { title: string; rows: FieldRow[] };

type Known = {
  title: string;
  field: string;
  kind: FieldRow['kind'];
  of: (message: Message) => string | null | undefined;
};

const HEADER = 'Syslog header';
const RECEPTION = 'Reception';

const known: readonly Known[] = [
  { title: HEADER, field: 'time', kind: 'time', of: ({ time }) => time },
  { title: HEADER, field: 'device_time', kind: 'time', of: (message) => message.device_time },
  { title: HEADER, field: 'host', kind: 'filter', of: ({ host }) => host },
  { title: HEADER, field: 'program', kind: 'filter', of: ({ program }) => program },
  { title: HEADER, field: 'pid', kind: 'filter', of: ({ pid }) => pid },
  { title: HEADER, field: 'msgid', kind: 'filter', of: ({ msgid }) => msgid },
  { title: HEADER, field: 'severity', kind: 'filter', of: (message) => message.severity_name },
  { title: HEADER, field: 'facility', kind: 'filter', of: (message) => message.facility_name },
  { title: RECEPTION, field: 'received', kind: 'time', of: ({ received }) => received },
  { title: RECEPTION, field: 'source', kind: 'filter', of: ({ source }) => source },
  { title: RECEPTION, field: 'peer', kind: 'filter', of: ({ peer }) => peer },
  { title: RECEPTION, field: 'logspace', kind: 'filter', of: ({ logspace }) => logspace },
  { title: RECEPTION, field: 'id', kind: 'plain', of: ({ id }) => id },
];

/** The fields of any message that a column can show. */
export const knownFields: readonly string[] = [
  ...known.map(({ field }) => field),
  ...['flag', 'message', 'raw'],
];

/** Everything in a message besides its text, without the fields that it lacks. */
export function fieldGroups(message: Message): FieldGroup[] {
  const own = Object.entries(message.fields).flatMap(([field, values]) =>
    [values].flat().map((value) => ({ field, value, kind: 'filter' as const })),
  );
  const flags = message.flags.map((value) => ({ field: 'flag', value, kind: 'filter' as const }));
  return [
    { title: 'Fields of the message', rows: own },
    { title: HEADER, rows: knownRows(message, HEADER) },
    { title: RECEPTION, rows: [...knownRows(message, RECEPTION), ...flags] },
  ].filter(({ rows }) => rows.length > 0);
}

/**
 * The groups with the fields that pass the filter; pinned fields form a group of their own at the
 * beginning.
 */
export function arranged(
  groups: readonly FieldGroup[],
  filter: string,
  pinned: readonly string[],
): FieldGroup[] {
  const text = filter.trim().toLowerCase();
  const passes = ({ field, value }: FieldRow) => `${field}=${value}`.toLowerCase().includes(text);
  const rows = groups.flatMap((group) => group.rows);
  const first = pinned.flatMap((field) => rows.filter((row) => row.field === field));
  const others = groups.map((group) => ({
    ...group,
    rows: group.rows.filter(({ field }) => !pinned.includes(field)),
  }));
  return [{ title: 'Pinned', rows: first }, ...others]
    .map((group) => ({ ...group, rows: group.rows.filter(passes) }))
    .filter((group) => group.rows.length > 0);
}

/** The values of one field, by its name in the query language; none if the message lacks it. */
export function valuesOf(message: Message, field: string): readonly string[] {
  const name = canonicalField(field);
  if (name === 'flag') return message.flags;
  if (name === 'message') return present(message.message);
  if (name === 'raw') return present(message.raw);
  const column = known.find((row) => row.field === name);
  if (column !== undefined) return present(column.of(message));
  const values = message.fields[field] ?? ownValues(message, name);
  return values === undefined ? [] : [values].flat();
}

/** The names of the fields that are specific to these messages, in alphabetical order. */
export function ownFieldNames(messages: readonly Message[]): string[] {
  const names = new Set(messages.flatMap(({ fields }) => Object.keys(fields)));
  return [...names].sort((a, b) => a.localeCompare(b));
}

function knownRows(message: Message, title: string): FieldRow[] {
  return known
    .filter((row) => row.title === title)
    .flatMap(({ field, kind, of }) =>
      present(of(message)).map((value) => ({ field, value, kind })),
    );
}

function present(value: string | null | undefined): string[] {
  return value === null || value === undefined || value === '' ? [] : [value];
}

/** Names of fields are not case-sensitive. */
function ownValues(message: Message, name: string): Message['fields'][string] | undefined {
  const found = Object.keys(message.fields).find((key) => key.toLowerCase() === name);
  return found === undefined ? undefined : message.fields[found];
}
