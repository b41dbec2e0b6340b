/**
 * Marks the texts that a query searches for, each term in its own colour. The server decides what
 * matches; this only shows where.
 */
import type { QueryTerm, TermPart } from '../api/model';

/**
 * A text that the query searches for, and its field; null stands for all fields that a text without
 * a field means.
 */
export type Term = { field: string | null; pattern: RegExp; color: number };
export type Hits = readonly Term[];

/** `color` is null for text between the hits. */
export type Piece = { text: string; color: number | null };

export const HIT_COLORS = 5;

/**
 * The maximum number of wildcards in a word: none needs more, and with many of them a failing
 * search takes long.
 */
const WILDCARDS_MAX = 4;
const UNBOUNDED_MAX = 6;

/**
 * The hits for the texts that a query searches for, each in the colour of its position in the
 * query.
 */
export function hitsOf(terms: readonly QueryTerm[]): Hits {
  const hits = terms.flatMap((term): Omit<Term, 'color'>[] => {
    const pattern = patternOf(term);
    return pattern === null ? [] : [{ field: term.field?.toLowerCase() ?? null, pattern }];
  });
  return hits.map((hit, at) => ({ ...hit, color: at % HIT_COLORS }));
}

/** The terms that are searched for in a text of this field. */
export function hitsIn(hits: Hits, field: string): Hits {
  const name = canonicalField(field);
  const isSearched = !UNSEARCHED.has(name);
  return hits.filter((term) => term.field === name || (term.field === null && isSearched));
}

/**
 * Hits in the text itself. Every row has the value of a field clause, so marking it would be of no
 * use.
 */
export function textHits(hits: Hits): Hits {
  return hits.filter(({ field }) => field === null || field === 'message' || field === 'raw');
}

/**
 * The text in pieces, in order; together they are the whole text. If hits overlap, the first and
 * longest one takes precedence.
 */
export function markHits(text: string, hits: Hits): Piece[] {
  const found = hits
    .flatMap(({ pattern, color }) =>
      Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({ index, length, color })),
    )
    .filter(({ length }) => length > 0)
    .sort((a, b) => a.index - b.index || b.length - a.length);
  const pieces: Piece[] = [];
  let end = 0;
  for (const { index, length, color } of found) {
    if (index < end) continue;
    if (index > end) pieces.push({ text: text.slice(end, index), color: null });
    pieces.push({ text: text.slice(index, index + length), color });
    end = index + length;
  }
  if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end), color: null });
  return pieces;
}

export function hasHit(text: string, hits: Hits): boolean {
  return hits.some(({ pattern }) => text.search(pattern) !== -1);
}

/** The fields that are not searched for a text without a field. */
const UNSEARCHED: ReadonlySet<string> = new Set([
  ...['time', 'received', 'device_time', 'severity', 'severity_num', 'facility', 'facility_num'],
  ...['source', 'peer', 'flag', 'logspace', 'pid', 'msgid', 'id'],
]);

const ALIASES: Readonly<Record<string, string>> = {
  msg: 'message',
  hostname: 'host',
  app: 'program',
  appname: 'program',
  tag: 'program',
  procid: 'pid',
  level: 'severity',
  priority: 'severity',
};

/** The canonical name of a field of a query. Names are not case-sensitive. */
export function canonicalField(field: string): string {
  const name = field.toLowerCase();
  return ALIASES[name] ?? name;
}

function patternOf({ parts, regex, case_sensitive: minds }: QueryTerm): RegExp | null {
  const flags = minds ? 'gu' : 'giu';
  if (regex !== undefined) return regexOf(regex, flags);
  const wildcards = parts?.filter((part) => 'wildcard' in part && part.wildcard === '*') ?? [];
  if (parts === undefined || wildcards.length > WILDCARDS_MAX) return null;
  return compile(bounded(parts), flags);
}

/**
 * The syntax is that of the server's library, as far as the browser supports it; other expressions
 * mark nothing.
 */
function regexOf(regex: string, flags: string): RegExp | null {
  const [, inline = '', body = ''] = /^(\(\?i\))?(.*)$/su.exec(regex) ?? [];
  const source = body.replaceAll('(?P<', '(?<').replaceAll('\\/', '/');
  return isTame(source) ? compile(source, inline === '' ? flags : 'giu') : null;
}

/**
 * Whether the browser, which uses backtracking, finds matches quickly: there are no nested
 * repetitions.
 */
function isTame(source: string): boolean {
  const plain = source.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/gsu, 'x');
  const unbounded = plain.match(/[*+]|\{\d+,\}/gu)?.length ?? 0;
  if (unbounded > UNBOUNDED_MAX) return false;
  const repeats: boolean[] = [];
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain[at] ?? '';
    if (character === '(') repeats.push(false);
    if (/[*+{|]/u.test(character) && repeats.length > 0) repeats[repeats.length - 1] = true;
    if (character !== ')') continue;
    const isRepeating = repeats.pop() === true;
    if (isRepeating && /[*+{]/u.test(plain[at + 1] ?? '')) return false;
    if (isRepeating && repeats.length > 0) repeats[repeats.length - 1] = true;
  }
  return true;
}

function compile(source: string, flags: string): RegExp | null {
  try {
    return source === '' ? null : new RegExp(source, flags);
  } catch {
    return null;
  }
}

/**
 * A text must end at the boundary of a word if it ends with a letter or digit, as in the query
 * language.
 */
function bounded(parts: readonly TermPart[]): string {
  const [first, last] = [parts[0], parts.at(-1)];
  const start = isText(first) && /^[\p{L}\p{N}]/u.test(first.text) ? '(?<![\\p{L}\\p{N}])' : '';
  const end = isText(last) && /[\p{L}\p{N}]$/u.test(last.text) ? '(?![\\p{L}\\p{N}])' : '';
  const sources = parts.map((part) => {
    if (isText(part)) return part.text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
    return part.wildcard === '*' ? '\\S*' : '\\S';
  });
  return `${start}${sources.join('')}${end}`;
}

function isText(part: TermPart | undefined): part is { text: string } {
  return part?.text !== undefined;
}
