/** Marks the words and phrases of a query in a text. The server decides what matches; this only shows where. */

export type Piece = { text: string; hit: boolean };

const TOKEN = /[-!]*"((?:[^"\\]|\\.)*)"|\/(?:[^/\\]|\\.)+\/i?(?=[\s)]|$)|[^\s()]+/gu;
const FIELD = /^([A-Za-z_@.][\w.@-]*)(?::(?!\/\/)|[=!<>~])/u;

/** What to mark for a query, or null when it holds no bare words or phrases. */
export function hitPattern(query: string): RegExp | null {
  const sources: string[] = [];
  let negated = false;
  for (const match of query.matchAll(TOKEN)) {
    const [token, phrase] = match;
    if (/^not$/i.test(token)) {
      negated = true;
      continue;
    }
    const source = negated ? null : sourceOf(token, phrase);
    negated = false;
    if (source !== null) sources.push(source);
  }
  return sources.length === 0 ? null : new RegExp(sources.join('|'), 'giu');
}

/** The text in pieces, in order; together they are the text. */
export function markHits(text: string, pattern: RegExp | null): Piece[] {
  if (pattern === null) return [{ text, hit: false }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '') continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), hit: false });
    pieces.push({ text: match[0], hit: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), hit: false });
  return pieces;
}

function sourceOf(token: string, phrase: string | undefined): string | null {
  if (/^[-!]/.test(token) || /^(and|or|&&|\|\||\*)$/i.test(token)) return null;
  if (phrase !== undefined) return bounded(phrase.replaceAll(/\\(.)/gu, '$1'), false);
  if (token.startsWith('/') || FIELD.test(token)) return null;
  return bounded(token, true);
}

/** A word ends where its last letter or digit meets something else, as in the query language. */
function bounded(word: string, wildcards: boolean): string | null {
  if (word === '') return null;
  const start = /^[\p{L}\p{N}]/u.test(word) ? '(?<![\\p{L}\\p{N}])' : '';
  const end = /[\p{L}\p{N}]$/u.test(word) ? '(?![\\p{L}\\p{N}])' : '';
  const escaped = word.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
  const body = wildcards ? escaped.replaceAll('\\*', '\\S*').replaceAll('\\?', '\\S') : escaped;
  return `${start}${body}${end}`;
}
