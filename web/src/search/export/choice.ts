/** The options of an export, and the request that it makes. */
import { askOf, paramsOf } from '../share/ask';
import type { SearchState } from '../searchParams';

export type Format = 'ndjson' | 'csv' | 'raw' | 'arrow' | 'parquet';
export type Order = 'newest' | 'oldest';

export type ExportChoice = {
  format: Format;
  order: Order;
  /** The columns of a format with columns; the server chooses them if the list is empty. */
  columns: readonly string[];
  /** Whether copies are included: messages that another logspace has as well. */
  copies: boolean;
};

export const formats: readonly Format[] = ['ndjson', 'csv', 'raw', 'arrow', 'parquet'];

/** Whether a format has columns with types, and is not text. */
export function isColumnar(format: Format): boolean {
  return format === 'arrow' || format === 'parquet';
}

/** Whether a format has the same columns in each row, which can be chosen. */
export function hasColumns(format: Format): boolean {
  return format === 'csv' || isColumnar(format);
}

/** The fields that every message has, for the list of columns. */
export const coreColumns: readonly string[] = [
  'time',
  'received',
  'host',
  'program',
  'pid',
  'msgid',
  'severity',
  'facility',
  'message',
  'source',
  'peer',
  'logspace',
  'raw',
];

export function exportParams(state: SearchState, choice: ExportChoice): [string, string][] {
  return [
    ...paramsOf(askOf(state, 'whole')),
    ['format', choice.format],
    ...(choice.copies ? [['copies', 'all'] satisfies [string, string]] : []),
    ...(choice.order === 'oldest' ? [['order', 'oldest'] satisfies [string, string]] : []),
    ...(hasColumns(choice.format) && choice.columns.length > 0
      ? [['columns', choice.columns.join(',')] satisfies [string, string]]
      : []),
  ];
}

export function exportPath(state: SearchState, choice: ExportChoice): string {
  const params = [...exportParams(state, choice), ['unparsed', 'text']];
  return `/api/v1/export?${new URLSearchParams(params).toString()}`;
}

/**
 * The maximum if the browser has to keep everything in memory: more would be too much for a small
 * machine.
 */
export const IN_MEMORY_MAX = 500_000;

export type Way = 'file' | 'memory' | 'link';

/** The way in which the messages are written to the disk. */
export function wayOf(canPickFile: boolean, count: number | undefined): Way {
  if (canPickFile) return 'file';
  return count !== undefined && count <= IN_MEMORY_MAX ? 'memory' : 'link';
}
