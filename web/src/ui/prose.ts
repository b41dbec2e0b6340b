/**
 * The server's texts, for people to read. It writes as programs do in a terminal: without a capital, and with names in
 * backticks.
 */
export type ProsePart = { text: string; isCode: boolean };

export function proseParts(text: string): ProsePart[] {
  const pieces = text.split('`');
  // A backtick without a partner is an ordinary character.
  const last = pieces.length % 2 === 0 ? (pieces.pop() ?? '') : null;
  if (last !== null) pieces.push(`${pieces.pop() ?? ''}\`${last}`);
  const parts = pieces.map((piece, at) => ({ text: piece, isCode: at % 2 === 1 }));
  return parts
    .filter((part) => part.text !== '')
    .map((part, at) =>
      at === 0 && !part.isCode ? { ...part, text: capitalized(part.text) } : part,
    );
}

/** A text that begins with a name, such as `web.listen`, is not capitalised. */
function capitalized(text: string): string {
  const [word = ''] = text.split(/\s/, 1);
  if (/[._=/]./.test(word)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
