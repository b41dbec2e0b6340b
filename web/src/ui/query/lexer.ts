/**
 * The colours of a query while it is written. Its meaning is for the server to say; shared test cases keep both
 * readings alike.
 */

export type TokenKind =
  | 'word'
  | 'wildcard'
  | 'field'
  | 'operator'
  | 'quoted'
  | 'regex'
  | 'number'
  | 'keyword'
  | 'bracket'
  | 'pipe'
  | 'stage'
  | 'function';

/** Positions are in JavaScript's characters (UTF-16), as editors count them. */
type Token = { kind: TokenKind; start: number; end: number };

type Mode = 'filter' | 'stage name' | 'stage' | 'expression';

const SPACE = /\s+/uy;
const PIPE = /\|(?!\|)/uy;
const QUOTED = /(?:cs)?[*?]*"(?:[^"\\]|\\[\s\S])*(?:"(?:~\d+\*?|[*?]*))?/uy;
const REGEX = /\/(?:[^/\\\n]|\\.)+\/i?(?=[\s),]|$)/uy;
const NAME = /[\p{L}_@.][\p{L}\p{N}_.@-]*/uy;
/**
 * A colon that belongs to an address, a path or a word is not an operator: `http://x`, `C:\temp`,
 * `fe80::1`, `a:`.
 */
const COMPARE = /:(?:[<>]=?|=|~)|:(?![:\\\s,;]|\/\/)|==|=~|!=|!~|[<>]=?|=(?![\s,;])|~(?!\s)/uy;
const KEYWORD = /(?:and|AND|or|OR|not|NOT|in|IN|to|TO)(?=[\s()[\]{}"]|$)|&&|\|\|/uy;
const NEGATION = /[-!](?=[^\s\-=<>!~),;:])/uy;
const BRACKET = /[()[\]{}]/uy;
const VALUE = /[^\s()[\]{},"]+/uy;
const NUMBER = /^-?\d+(?:\.\d+)?[a-zA-Z%]*(?:\.\.-?\d*(?:\.\d+)?[a-zA-Z]*)?$|^now(?:[-+]\w+)?$/u;
const STAGE_NAME = /[\p{L}_]+/uy;
const FUNCTION = /[\p{L}_]\w*(?=\()/uy;
const STAGE_KEYWORD = /(?:by|as|from|asc|desc|limit|json|kv|regex|csv|cef|leef)(?=[\s,)(]|$)/iuy;
const STAGE_SIGN = /[,=+-]/uy;
const STAGE_WORD = /[^\s(),|"=]+/uy;
const EXPRESSION_KEYWORD = /(?:and|or|not|null|true|false)(?![\p{L}\p{N}_.@-])|\|\|(?=[\s)(]|$)/iuy;
const EXPRESSION_FUNCTION = /[\p{L}_@.][\p{L}\p{N}_.@-]*(?=\s*\()/uy;
const EXPRESSION_SIGN = /[-=<>!+*%/&,]/uy;
const EXPRESSION_NUMBER = /\d[\p{L}\p{N}.]*/uy;

/** All tokens in order; they do not overlap, and white space is left out. */
export function lex(query: string): Token[] {
  const tokens: Token[] = [];
  let mode: Mode = 'filter';
  let at = 0;
  const take: Take = (what, kind) => {
    const end = typeof what === 'number' ? what : endOf(what, query, at);
    if (end === at) return false;
    tokens.push({ kind, start: at, end });
    at = end;
    return true;
  };
  while (at < query.length) {
    at = endOf(SPACE, query, at);
    if (at === query.length) break;
    const isWordStart = at === 0 || /\s/u.test(query[at - 1] ?? '');
    if ((isWordStart || mode !== 'filter') && take(PIPE, 'pipe')) mode = 'stage name';
    else if (mode === 'stage name') mode = takeStageName(query, at, take);
    else if (mode === 'stage') takeOfStage(query, at, take);
    else if (mode === 'expression') takeOfExpression(query, tokens, take);
    else takeOfFilter(query, at, tokens, take);
  }
  return tokens;
}

/**
 * Takes the match of a pattern, or everything up to a position; returns whether there was anything
 * to take.
 */
type Take = (what: RegExp | number, kind: TokenKind) => boolean;

/** After `where` comes a filter again. */
function takeStageName(query: string, at: number, take: Take): Mode {
  const name = query.slice(at, endOf(STAGE_NAME, query, at));
  if (!take(STAGE_NAME, 'stage')) take(/[\s\S]/uy, 'word');
  if (/^(?:eval|extend|let)$/iu.test(name)) return 'expression';
  return /^(?:where|filter|search)$/iu.test(name) ? 'filter' : 'stage';
}

function takeOfStage(query: string, at: number, take: Take): void {
  if (take(QUOTED, 'quoted') || take(REGEX, 'regex') || take(FUNCTION, 'function')) return;
  if (take(STAGE_KEYWORD, 'keyword') || take(BRACKET, 'bracket') || take(STAGE_SIGN, 'operator')) {
    return;
  }
  const word = query.slice(at, endOf(STAGE_WORD, query, at));
  if (!take(STAGE_WORD, NUMBER.test(word) ? 'number' : 'field')) take(/[\s\S]/uy, 'word');
}

/**
 * A slash divides, unless it begins a regular expression in a position for an argument of a
 * function.
 */
function takeOfExpression(query: string, tokens: readonly Token[], take: Take): void {
  const before = query.slice(tokens.at(-1)?.start, tokens.at(-1)?.end);
  if (take(QUOTED, 'quoted')) return;
  if ((before === '(' || before === ',') && take(REGEX, 'regex')) return;
  if (take(EXPRESSION_KEYWORD, 'keyword') || take(BRACKET, 'bracket')) return;
  if (take(EXPRESSION_FUNCTION, 'function') || take(NAME, 'field')) return;
  if (take(EXPRESSION_NUMBER, 'number') || take(EXPRESSION_SIGN, 'operator')) return;
  take(/[\s\S]/uy, 'word');
}

function takeOfFilter(query: string, at: number, tokens: readonly Token[], take: Take): void {
  const before = tokens.at(-1);
  const isValue = before?.end === at && before.kind === 'operator' && query[at - 1] !== '-';
  if (!isValue && takeComparison(query, at, take)) return;
  if (take(QUOTED, 'quoted') || take(REGEX, 'regex') || take(KEYWORD, 'keyword')) return;
  if (!isValue && (take(BRACKET, 'bracket') || take(NEGATION, 'operator'))) return;
  if (isValue && take(BRACKET, 'bracket')) return;
  const end = isValue || isInside(tokens, query) ? endOf(VALUE, query, at) : endOfWord(query, at);
  const word = query.slice(at, end);
  const isNumber = NUMBER.test(word) && (isValue || isInside(tokens, query));
  const kind = isNumber ? 'number' : /(?<!\\)[*?]/u.test(word) ? 'wildcard' : 'word';
  if (!take(end, kind)) take(/[\s\S]/uy, 'operator');
}

/** A field with its operator; nothing if it is only text that looks like a comparison. */
function takeComparison(query: string, at: number, take: Take): boolean {
  const name = query[at] === '"' ? QUOTED : NAME;
  const nameEnd = endOf(name, query, at);
  if (nameEnd === at) return false;
  const end = endOf(COMPARE, query, nameEnd);
  if (end === nameEnd) return takeIn(query, nameEnd, name, take);
  // `x=1,` and `a:b:` are text, as they occur in messages.
  if (/[,;:]$/u.test(query.slice(end, endOfWord(query, end)))) return false;
  if (query[at] === '"' && /["\s]/u.test(query[end] ?? '') && query[nameEnd] !== ':') return false;
  return take(name, 'field') && take(COMPARE, 'operator');
}

/** `action in (deny, drop)` */
function takeIn(query: string, nameEnd: number, name: RegExp, take: Take): boolean {
  const follows = /\s+in\s*[([]/iuy;
  return endOf(follows, query, nameEnd) > nameEnd && take(name, 'field');
}

/** Whether a bracket of a comparison is open, as in `status:[400 TO 500}`. */
function isInside(tokens: readonly Token[], query: string): boolean {
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    const token = tokens[at];
    if (token?.kind !== 'bracket') continue;
    const bracket = query[token.start] ?? '';
    return bracket === '[' || bracket === '{' || (bracket === '(' && isAfterField(tokens, at));
  }
  return false;
}

function isAfterField(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.kind;
  return (before === 'operator' || before === 'keyword') && tokens[at - 2]?.kind === 'field';
}

/** A word includes parentheses that are opened within it, as in `foo(bar)`. */
function endOfWord(query: string, start: number): number {
  let open = 0;
  for (let at = start; at < query.length; at += 1) {
    const character = query[at] ?? '';
    if (/\s/u.test(character)) return at;
    if (character === '(') open += 1;
    if (character === ')' && open === 0) return at;
    if (character === ')') open -= 1;
  }
  return query.length;
}

/** The end of the match of a sticky pattern at `at`; `at` itself if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/**
 * Splits a query into its filter and its stages. A `|` at the beginning of a word, outside of
 * quotes and expressions, begins the first stage.
 */
export function splitStages(query: string): { filter: string; stages: string } {
  const pipe = lex(query).find(({ kind }) => kind === 'pipe');
  if (pipe === undefined) return { filter: query, stages: '' };
  return { filter: query.slice(0, pipe.start).trim(), stages: query.slice(pipe.start) };
}
