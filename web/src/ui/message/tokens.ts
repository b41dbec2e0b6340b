/** Numbers, addresses and paths in a text, so that they can have their own colours. */

export type Kind = 'number' | 'address' | 'path';
/** `kind` is null for text in between. */
export type Token = { text: string; kind: Kind | null };

/** The maximum number of tokens in a row; the rest is plain text. */
const TOKENS_MAX = 16;

const TOKEN = new RegExp(
  [
    // 10.1.8.20:22, with a prefix length, or an IPv6 address.
    String.raw`(?<address>\b\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?\b|\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,7}\b)`,
    String.raw`(?<path>(?<![\w/.:])/[\w.-]+(?:/[\w.*-]*){0,12})`,
    String.raw`(?<number>(?<![\w.:/-])-?\d{1,15}(?:\.\d{1,9})?(?:[kKMG]?i?B|[mnuµ]?s|min|h|%)?(?![\w.:/-]\w|\w))`,
  ].join('|'),
  'gu',
);

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (tokens.length >= TOKENS_MAX) break;
    const { index, groups } = match;
    const kind = (['address', 'path'] as const).find((name) => groups?.[name] !== undefined);
    if (index > end) tokens.push({ text: text.slice(end, index), kind: null });
    tokens.push({ text: match[0], kind: kind ?? 'number' });
    end = index + match[0].length;
  }
  if (end < text.length || tokens.length === 0) tokens.push({ text: text.slice(end), kind: null });
  return tokens;
}
