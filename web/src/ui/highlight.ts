/** Marks what a query looks for, each term in a colour of its own. The server decides what matches; this only shows where. */
import { splitStages } from './query/stages';

/** A text that the query looks for, and where: in one field, or (null) in all that a text without a field means. */
export type Term = { field: string | null; pattern: RegExp; color: number };
export type Hits = readonly Term[];

/** `color` is null for what lies between the hits. */
export type Piece = { text: string; color: number | null };

export const HIT_COLORS = 5;

/** No word needs more; a word with many of them takes long to find where it is not. */
const WILDCARDS_MAX = 4;
const UNBOUNDED_MAX = 6;

/** What to mark for a query; empty when it names no texts. Terms keep the colour of their place in the query. */
export function hitsOf(query: string): Hits {
  const terms: Term[] = [];
  const sources: string[] = [];
  for (const { field, text, negated } of textsOf(splitStages(query).filter)) {
    const pattern = negated ? null : patternOf(text);
    if (pattern === null) continue;
    const key = `${field ?? ''}:${pattern.source}`;
    if (!sources.includes(key)) sources.push(key);
    terms.push({ field, pattern, color: sources.indexOf(key) % HIT_COLORS });
  }
  return terms;
}

/** The terms that a text of this field is looked through for. */
export function hitsIn(hits: Hits, field: string): Hits {
  const name = canonicalField(field);
  const isSearched = !UNSEARCHED.has(name);
  return hits.filter((term) => term.field === name || (term.field === null && isSearched));
}

/** The text in pieces, in order; together they are the text. Of overlapping hits the first and longest wins. */
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

/** A text without a field is not looked for in these. */
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

/** The one name that a field of a query has in messages. Names are read in any case. */
export function canonicalField(field: string): string {
  const name = field.toLowerCase();
  return ALIASES[name] ?? name;
}

type Text = { field: string | null; text: string; negated: boolean };
type Scope = { field: string | null; negated: boolean };

const SPACE = /\s+/uy;
const FIELD =
  /(?:"((?:[^"\\]|\\.)+)"|([\p{L}_@.][\p{L}\p{N}_.@-]*))(!~|!=|==|=~|=|~|[<>]=?|:(?![:\\\s,;]|\/\/)[<>=~]?=?)/uy;
const MEMBERS = /([\p{L}_@.][\p{L}\p{N}_.@-]*)\s+in\s*(?=[([])/iuy;
const NEGATION = /(?:not(?=[\s(])|[-!](?=[^\s]))\s*/iuy;
const KEYWORD = /(?:and|or|&&|\|\|)(?=[\s()]|$)/iuy;
const QUOTED = /(?:cs)?"(?:[^"\\]|\\[\s\S])*"?\*?/uy;
const REGEX = /\/(?:[^/\\\n]|\\.)+\/i?(?=[\s),]|$)/uy;
const VALUE = /[^\s()[\]{},]+/uy;

/** The texts of a filter, with what is said of each by the parentheses around it. */
function textsOf(filter: string): Text[] {
  const texts: Text[] = [];
  const open: Scope[] = [];
  let at = 0;
  let said: Scope = { field: null, negated: false };
  const take = (what: RegExp): RegExpExecArray | null => {
    what.lastIndex = at;
    const match = what.exec(filter);
    if (match !== null) at += match[0].length;
    return match;
  };
  while (at < filter.length) {
    const scope = open.at(-1) ?? { field: null, negated: false };
    if (take(SPACE) !== null || take(KEYWORD) !== null) continue;
    if (take(NEGATION) !== null) {
      said = { ...said, negated: true };
      continue;
    }
    const compared = said.field === null ? (take(FIELD) ?? take(MEMBERS)) : null;
    if (compared !== null) said = fieldSaid(compared, said);
    const whole = {
      field: said.field ?? scope.field,
      negated: said.negated !== scope.negated,
    };
    const character = filter[at] ?? '';
    if (/[([{]/u.test(character)) {
      open.push(whole);
      at += 1;
    } else if (/[)\]},]/u.test(character)) {
      if (character !== ',') open.pop();
      at += 1;
    } else {
      const isValue = whole.field !== null;
      const text = (take(QUOTED) ?? take(REGEX) ?? (isValue ? take(VALUE) : null))?.[0];
      const word = text ?? filter.slice(at, endOfWord(filter, at));
      if (text === undefined) at += Math.max(word.length, 1);
      texts.push({ ...whole, text: word });
    }
    said = { field: null, negated: false };
  }
  return texts;
}

/** What an operator says of the text behind it: texts that must not be there, or orders of size, mark nothing. */
function fieldSaid([, quoted, bare, operator = 'in']: RegExpExecArray, said: Scope): Scope {
  const isMark = !/^!|[<>]/u.test(operator);
  const name = canonicalField(quoted ?? bare ?? '');
  return { field: name, negated: isMark ? said.negated : true };
}

/** A word goes on over parentheses that it opens itself, as `foo(bar)` does. */
function endOfWord(filter: string, start: number): number {
  let open = 0;
  for (let at = start; at < filter.length; at += 1) {
    const character = filter[at] ?? '';
    if (/\s/u.test(character)) return at;
    if (character === '(') open += 1;
    if (character === ')' && open === 0) return at;
    if (character === ')') open -= 1;
  }
  return filter.length;
}

function patternOf(text: string): RegExp | null {
  if (/^\/.+\/i?$/su.test(text)) return regexOf(text);
  const quoted = /^(cs)?"((?:[^"\\]|\\[\s\S])*)"?(\*?)$/u.exec(text);
  if (quoted !== null) {
    const [, minding, phrase = '', star] = quoted;
    const source = bounded(phrase.replaceAll(/\\(["*?])/gu, '$1'), false, star === '*');
    return compile(source, minding === 'cs' ? 'gu' : 'giu');
  }
  if (/^\*+$/u.test(text) || /^\S+\.\.\S+$/u.test(text)) return null;
  if ((text.match(/\*/gu)?.length ?? 0) > WILDCARDS_MAX) return null;
  return compile(bounded(text, true), 'giu');
}

/** The syntax is that of the server's library where the browser knows it too; other expressions mark nothing. */
function regexOf(text: string): RegExp | null {
  const end = text.lastIndexOf('/');
  const [, inline = '', body = ''] = /^(\(\?i\))?(.*)$/su.exec(text.slice(1, end)) ?? [];
  const source = body.replaceAll('(?P<', '(?<').replaceAll('\\/', '/');
  const ignoresCase = text.endsWith('i') || inline !== '';
  return isTame(source) ? compile(source, ignoresCase ? 'giu' : 'gu') : null;
}

/** Whether the browser, which tries every way, finds it soon: no repetition within a repetition. */
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

/** A word ends where its last letter or digit meets something else, as in the query language. */
function bounded(word: string, wildcards: boolean, goesOn = false): string {
  if (word === '') return '';
  const start = /^[\p{L}\p{N}]/u.test(word) ? '(?<![\\p{L}\\p{N}])' : '';
  const edge = /[\p{L}\p{N}]$/u.test(word) ? '(?![\\p{L}\\p{N}])' : '';
  const end = goesOn ? '\\S*' : edge;
  const escape = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
  if (!wildcards) return `${start}${escape(word)}${end}`;
  const body = word
    .split(/(\\[*?]|[*?])/u)
    .map((part) => (part === '*' ? '\\S*' : part === '?' ? '\\S' : escape(unescaped(part))))
    .join('');
  return `${start}${body}${end}`;
}

function unescaped(part: string): string {
  return /^\\[*?]$/u.test(part) ? part.slice(1) : part;
}
