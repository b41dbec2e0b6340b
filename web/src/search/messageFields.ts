/** A message as rows of field and value, in the order in which a reader asks for them. */
import type { Message } from '../api/model';

export type FieldRow = {
  field: string;
  value: string;
  /** `filter`: a click can add the value to the query. `time` and `plain` values are only shown. */
  kind: 'filter' | 'time' | 'plain';
};

/** The fields that every message can have; those that this one lacks are left out. */
export function knownFields(message: Message): FieldRow[] {
  const rows: [string, string | null | undefined, FieldRow['kind']][] = [
    ['time', message.time, 'time'],
    ['device_time', message.device_time, 'time'],
    ['received', message.received, 'time'],
    ['host', message.host, 'filter'],
    ['program', message.program, 'filter'],
    ['pid', message.pid, 'filter'],
    ['msgid', message.msgid, 'filter'],
    ['severity', message.severity_name, 'filter'],
    ['facility', message.facility_name, 'filter'],
    ['source', message.source, 'filter'],
    ['peer', message.peer, 'filter'],
    ['logspace', message.logspace, 'filter'],
    ['flags', message.flags.join(', '), 'plain'],
    ['id', message.id, 'plain'],
  ];
  return rows.flatMap(([field, value, kind]) =>
    value === null || value === undefined || value === '' ? [] : [{ field, value, kind }],
  );
}

/** The fields found inside the message, one row for each value. */
export function parsedFields(message: Message): FieldRow[] {
  return Object.entries(message.fields).flatMap(([field, values]) =>
    [values].flat().map((value) => ({ field, value, kind: 'filter' as const })),
  );
}
