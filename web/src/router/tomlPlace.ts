/**
 * The place of the cursor in the text of a router document: the entry, and whether it is at a key or at a value. Reads
 * no more TOML than that requires, even half-written TOML; whether it is valid is for the server to say. Pure.
 */
import { type Section, isSection } from './sections';

export type TomlPlace = {
  section: Section;
  /** The value of the entry's `kind`; empty if there is none. */
  kind: string;
  /** The dotted keys that have a value in the entry, apart from the one at the cursor. */
  keys: ReadonlySet<string>;
  /** The character range of the key or the value at the cursor. */
  from: number;
  to: number;
} & (
  | {
      part: 'key';
      /**
       * The dotted key of the table that contains it, for example `tls`; empty in the entry itself.
       */
      table: string;
      hasValue: boolean;
    }
  | { part: 'value'; key: string }
);

type Token = { text: string; from: number; to: number };

/** A line, or several lines of a list or a table; it may be empty. */
type Statement = { tokens: readonly Token[]; from: number; to: number };

type Header = { path: readonly string[]; isEntry: boolean };

/** `key = value`, which may be incomplete. */
type Pair = {
  from: number;
  to: number;
  table: string;
  /** The key, dotted, starting at the entry. */
  key: string;
  keyTokens: readonly Token[];
  /** The offset of the `=`; null before it is written. */
  equals: number | null;
  value: readonly Token[];
  /** The pairs within the value, if it is a table or a list of tables. */
  inner: readonly Pair[];
  /**
   * The table of a list that contains it, by the offset at which that table begins; null outside of
   * such lists.
   */
  item: number | null;
};

type Entry = { section: Section; statements: Statement[]; pairs: Pair[] };

const TOKEN =
  /#[^\n]*|\n|"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|[[\]{}=,]|[^\s#"'[\]{}=,]+/gu;

/** The place of the cursor; null if it is not in a key or value of an entry. */
export function placeIn(text: string, cursor: number): TomlPlace | null {
  const statements = statementsOf(text);
  const statement = statements.find(({ from, to }) => from <= cursor && cursor <= to);
  const entry = entriesOf(statements).find((one) => one.statements.some((s) => s === statement));
  const isInComment = statement?.tokens.some(
    ({ text, from }) => text.startsWith('#') && from < cursor,
  );
  if (entry === undefined || isInComment === true) return null;
  const pairs = entry.pairs.flatMap(withInner);
  // The innermost pair around the cursor.
  const here = pairs.findLast(({ from, to }) => from <= cursor && cursor <= to);
  const part = here === undefined ? null : partOf(here, cursor);
  if (part === null) return null;
  const others = pairs.filter(
    (pair) => pair !== here && pair.equals !== null && (here?.item ?? pair.item) === pair.item,
  );
  const kind = entry.pairs.find(({ key }) => key === 'kind')?.value[0];
  return {
    ...part,
    section: entry.section,
    kind: kind === undefined ? '' : unquoted(kind),
    keys: new Set(others.map(({ key }) => key)),
  };
}

type PartOfPlace<Place> = Place extends unknown ? Omit<Place, 'section' | 'kind' | 'keys'> : never;

function partOf(pair: Pair, cursor: number): PartOfPlace<TomlPlace> | null {
  const { table, keyTokens, equals, value } = pair;
  if (equals === null || cursor <= equals) {
    const from = Math.min(cursor, keyTokens[0]?.from ?? cursor);
    const to = Math.max(cursor, keyTokens.at(-1)?.to ?? cursor);
    return { part: 'key', table, hasValue: equals !== null, from, to };
  }
  const [token, ...more] = value;
  // Other brackets only matter for tables, and the cursor is not in one.
  if (more.length > 0 || token?.text === '[') return null;
  const isAt = token !== undefined && token.from <= cursor && cursor <= token.to;
  if (token !== undefined && !isAt) return null;
  return { part: 'value', key: pair.key, from: token?.from ?? cursor, to: token?.to ?? cursor };
}

function withInner(pair: Pair): Pair[] {
  return [pair, ...pair.inner.flatMap(withInner)];
}

function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKEN)].map(({ 0: found, index }) => ({
    text: found,
    from: index,
    to: index + found.length,
  }));
}

function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let from = 0;
  let depth = 0;
  let tokens: Token[] = [];
  let isLineStart = true;
  const close = (to: number) => {
    statements.push({ tokens, from, to });
    [from, depth, tokens] = [to + 1, 0, []];
  };
  for (const token of tokensOf(text)) {
    const isBreak = token.text === '\n';
    // Lists never contain lists: a bracket at the beginning of a line is a header, even after a list that is not
    // closed.
    const isHeader = isLineStart && token.text === '[';
    if (isHeader && depth > 0) close(text.lastIndexOf('\n', token.from));
    isLineStart = isBreak;
    if ('[{'.includes(token.text)) depth += 1;
    if (']}'.includes(token.text)) depth -= 1;
    if (isBreak && depth <= 0) close(token.from);
    else if (!isBreak) tokens.push(token);
  }
  close(text.length);
  return statements;
}

function entriesOf(statements: readonly Statement[]): Entry[] {
  const entries: Entry[] = [];
  let entry: Entry | undefined;
  let table = '';
  for (const statement of statements) {
    const header = headerOf(statement);
    if (header === null) {
      entry?.statements.push(statement);
      entry?.pairs.push(pairOf(codeOf(statement.tokens), statement, table));
      continue;
    }
    const [section = '', ...rest] = header.path;
    table = rest.join('.');
    if (header.isEntry && isSection(section)) {
      entry = { section, statements: [], pairs: [] };
      entries.push(entry);
    } else if (header.isEntry || entry?.section !== section) entry = undefined;
  }
  return entries;
}

function headerOf({ tokens }: Statement): Header | null {
  const [first, second] = tokens;
  if (first?.text !== '[') return null;
  const name = tokens.find(({ text }) => !'[]'.includes(text));
  return { path: name?.text.split('.') ?? [], isEntry: second?.text === '[' };
}

function pairOf(
  tokens: readonly Token[],
  { from, to }: Omit<Statement, 'tokens'>,
  table: string,
  item: number | null = null,
) {
  const at = tokens.findIndex(({ text }) => text === '=');
  const keyTokens = at === -1 ? tokens : tokens.slice(0, at);
  const value = at === -1 ? [] : tokens.slice(at + 1);
  const key = [table, keyTokens.map(unquoted).join('')].filter((part) => part !== '').join('.');
  const opens = value[0]?.text;
  const inner =
    opens === '{' ? innerOf(value, to, key, item) : opens === '[' ? itemsOf(value, to, key) : [];
  const pair: Pair = {
    ...{ from, to, table, key, keyTokens, value, inner, item },
    equals: tokens[at]?.from ?? null,
  };
  return pair;
}

/** The pairs of `[{ … }, { … }]`, with those of each table kept apart. */
function itemsOf([, ...tokens]: readonly Token[], end: number, table: string): Pair[] {
  let depth = 0;
  return tokens.flatMap((token, at) => {
    const isTable = token.text === '{' && depth === 0;
    if ('[{'.includes(token.text)) depth += 1;
    if (']}'.includes(token.text)) depth -= 1;
    return isTable ? innerOf(tokens.slice(at), end, table, token.from) : [];
  });
}

/** The pairs of `{ … }`. */
function innerOf(
  [open, ...tokens]: readonly Token[],
  end: number,
  table: string,
  item: number | null,
): Pair[] {
  const pairs: Pair[] = [];
  let from = open?.to ?? end;
  let own: Token[] = [];
  let depth = 0;
  for (const token of tokens) {
    if ('[{'.includes(token.text)) depth += 1;
    if (']}'.includes(token.text)) depth -= 1;
    const isEnd = depth === -1;
    if (isEnd || (depth === 0 && token.text === ',')) {
      pairs.push(pairOf(own, { from, to: token.from }, table, item));
      [from, own] = [token.to, []];
      if (isEnd) return pairs;
    } else own.push(token);
  }
  return [...pairs, pairOf(own, { from, to: end }, table, item)];
}

function codeOf(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ text }) => !text.startsWith('#'));
}

function unquoted({ text }: Token): string {
  return text.replaceAll(/^["']|["']$/g, '');
}
