/**
 * The usual values of a list, so that its rows show what is unusual: how many messages have a field, and which values.
 */
import type { Message } from '../../api/model';
import { canonicalField } from '../highlight';
import { type Pair, titleKeys } from './structure';

export type Profile = {
  /**
   * The value of each field for telling messages apart: the more it differs between them the better, unless it always
   * does.
   */
  weights: ReadonlyMap<string, number>;
  /** Fields that are not worth showing: they have only one value, or are shown elsewhere. */
  silent: ReadonlySet<string>;
};

export const noProfile: Profile = { weights: new Map(), silent: new Set() };

/** The maximum number of messages that are examined. */
export const PROFILED_MAX = 200;
const FIELDS_MAX = 200;
const VALUE_CHARACTERS_MAX = 80;
/** With fewer messages than this, no value counts as usual. */
const USUAL_MIN = 4;

/** The fields that other parts of a row show: the time, the origin and the severity. */
const told: ReadonlySet<string> = new Set([
  ...[
    'date',
    'time',
    'timestamp',
    '@timestamp',
    'ts',
    'tz',
    'eventtime',
    '@version',
    't',
    'datetime',
  ],
  ...['severity', 'level', 'lvl', 'loglevel', 'log.level', 'pri', 'severity_num', 'facility'],
  ...[
    'host',
    'hostname',
    'program',
    'app',
    'appname',
    'pid',
    'procid',
    'msgid',
    'devname',
    'devid',
  ],
  ...['logid', 'vd', 'tag', 'stream', ...titleKeys],
]);

/** `asked` are the fields for which the query has clauses. */
export function profileOf(
  messages: readonly Message[],
  pairsOf: (message: Message) => readonly Pair[],
  asked: readonly string[],
): Profile {
  const fields = new Map<string, Map<string, number>>();
  for (const message of messages.slice(0, PROFILED_MAX)) {
    for (const { key, value } of pairsOf(message)) count(fields, key, value);
  }
  const weights = new Map<string, number>();
  const silent = new Set(asked.map(canonicalField));
  for (const [key, values] of fields) {
    const total = sum(values);
    if (values.size === 1 && total >= USUAL_MIN) silent.add(key.toLowerCase());
    weights.set(key, weightOf(values, total) * Math.sqrt(total / messages.length));
  }
  return { weights, silent };
}

/**
 * The pairs that are worth a place in a row, in the order of the fields' weights. Those that a text of the query was
 * found in come first, however usual they are: they are why the row is there.
 */
export function worthSaying(
  pairs: readonly Pair[],
  { weights, silent }: Profile,
  title: string,
  pairsMax: number,
  isHit: (pair: Pair) => boolean,
): Pair[] {
  const isSaid = ({ key, value }: Pair) =>
    value === '' || told.has(plain(key)) || silent.has(key.toLowerCase());
  const weight = (pair: Pair) => (isHit(pair) ? Infinity : (weights.get(pair.key) ?? 1));
  return pairs
    .filter((pair) => !holds(title, pair.value) && (!isSaid(pair) || isHit(pair)))
    .map((pair) => ({ pair, weight: weight(pair) }))
    .sort((a, b) => (a.weight === b.weight ? 0 : b.weight - a.weight))
    .slice(0, pairsMax)
    .map(({ pair }) => pair);
}

/** The entropy of the values in bits; low if all values are different, as for ids. */
function weightOf(values: ReadonlyMap<string, number>, total: number): number {
  let bits = 0;
  for (const times of values.values()) bits -= (times / total) * Math.log2(times / total);
  const isId = total >= USUAL_MIN && values.size > total * 0.9;
  return Math.min(bits, 4) * (isId && !isMeasure(values) ? 0.1 : 1) + 0.01;
}

/**
 * Numbers with a fraction or a unit are measurements: even if all of them differ, they are not ids.
 */
function isMeasure(values: ReadonlyMap<string, number>): boolean {
  const [first = ''] = values.keys();
  return /^-?\d{1,9}(?:\.\d+)?\s?(?:[kKMG]?i?B|[mnuµ]?s|min|h|%)?$/u.test(first);
}

/** Names that every message has are prefixed with the format. */
function plain(key: string): string {
  return key.toLowerCase().replace(/^(?:json|kv|cef|leef)\./u, '');
}

/** Whether the text contains the value as a whole word: `tcp` is not in `tcpdump`. */
function holds(text: string, value: string): boolean {
  if (value === '' || value.length > text.length) return false;
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + value.length] ?? ' '];
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

function count(fields: Map<string, Map<string, number>>, key: string, value: string) {
  const values = fields.get(key) ?? new Map<string, number>();
  if (!fields.has(key)) {
    if (fields.size >= FIELDS_MAX) return;
    fields.set(key, values);
  }
  const short = value.slice(0, VALUE_CHARACTERS_MAX);
  values.set(short, (values.get(short) ?? 0) + 1);
}

function sum(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((total, times) => total + times, 0);
}
