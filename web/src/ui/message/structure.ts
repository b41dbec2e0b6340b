/**
 * Parses a text that is a JSON object or a list of `key=value`. All work is bounded, because texts
 * come from untrusted senders.
 */

export type Pair = { key: string; value: string };

/** `title` is the text's own message in words, or null if it has none. */
export type Structure = { kind: 'json' | 'pairs'; title: string | null; pairs: readonly Pair[] };

/** The maximum length of texts that are parsed. */
const JSON_CHARACTERS_MAX = 65_536;
const PAIRS_CHARACTERS_MAX = 16_384;
const PAIRS_MAX = 100;
const DEPTH_MAX = 4;
/** The minimum number of pairs of a list: a sentence may contain one. */
const PAIRS_MIN = 2;
/** The share of a text that pairs must cover for it to count as a list of them. */
const PAIRS_PART_MIN = 0.5;

/** The keys that may hold a message's text in words, in order of preference. */
export const titleKeys: readonly string[] = [
  ...['msg', 'message', 'short_message', 'log', 'text', 'logdesc', 'description', 'event'],
];

export function readStructure(text: string): Structure | null {
  const start = text.slice(0, 64).trimStart();
  if (start.startsWith('{') || start.startsWith('@cee:')) return readJson(text);
  return start.includes('=') || text.includes('=') ? readPairs(text) : null;
}

/** The object that a text represents, or null. */
export function readObject(text: string): Record<string, unknown> | null {
  if (text.length > JSON_CHARACTERS_MAX) return null;
  try {
    const value: unknown = JSON.parse(text.replace(/^\s*@cee:/u, ''));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function readJson(text: string): Structure | null {
  const object = readObject(text);
  if (object === null) return null;
  const pairs: Pair[] = [];
  try {
    flatten(object, '', 0, pairs);
  } catch {
    // It is nested too deeply to be serialised again.
    return null;
  }
  return { kind: 'json', title: titleOf(pairs), pairs };
}

/** Nested objects become dotted names. */
function flatten(object: Record<string, unknown>, prefix: string, depth: number, into: Pair[]) {
  for (const [name, value] of Object.entries(object)) {
    if (into.length >= PAIRS_MAX) return;
    const key = `${prefix}${name}`;
    if (isObject(value) && depth < DEPTH_MAX) flatten(value, `${key}.`, depth + 1, into);
    else into.push({ key, value: typeof value === 'string' ? value : JSON.stringify(value) });
  }
}

/**
 * A name, a sign, and a value with or without quotes. Its parts cannot match the same text, so
 * matching is fast.
 */
const PAIR =
  /([\p{L}_@][\p{L}\p{N}_.@/-]{0,63})=(?:"((?:[^"\\]|\\.){0,4000})"|([^\s",]{0,4000}))[,;]?/uy;

function readPairs(text: string): Structure | null {
  if (text.length > PAIRS_CHARACTERS_MAX) return null;
  const [, words = ''] = /^([^=]{0,400}?)\s*(?=[\p{L}_@][^\s=]{0,63}=)/u.exec(text) ?? [];
  const pairs: Pair[] = [];
  let at = words.length;
  let taken = 0;
  while (at < text.length && pairs.length < PAIRS_MAX) {
    at += spaceAt(text, at);
    PAIR.lastIndex = at;
    const match = PAIR.exec(text);
    if (match === null) break;
    const [all, key = '', quoted, bare = ''] = match;
    pairs.push({ key, value: quoted === undefined ? bare : unescaped(quoted) });
    at += all.length;
    taken += all.length;
  }
  const isWhole = text.slice(at).trim() === '' || pairs.length === PAIRS_MAX;
  if (pairs.length < PAIRS_MIN || !isWhole || taken < text.length * PAIRS_PART_MIN) return null;
  const title = words.trim().replace(/[:,;]$/u, '');
  return { kind: 'pairs', title: title === '' ? titleOf(pairs) : title, pairs };
}

function spaceAt(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return end - at;
}

function unescaped(quoted: string): string {
  return quoted.replaceAll(/\\(["\\])/gu, '$1');
}

function titleOf(pairs: readonly Pair[]): string | null {
  for (const name of titleKeys) {
    const value = pairs.find(({ key }) => key.toLowerCase() === name)?.value.trim();
    if (value !== undefined && value !== '') return value;
  }
  return whatHappened(pairs);
}

/** A short text for a firewall's message, in place of a sentence: `deny tcp`. */
function whatHappened(pairs: readonly Pair[]): string | null {
  const of = (name: string) => pairs.find(({ key }) => key === name)?.value;
  const action = of('action') ?? of('act');
  if (action === undefined) return null;
  const what = of('service') ?? of('proto') ?? of('subtype') ?? '';
  return `${action} ${what}`.trim();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
