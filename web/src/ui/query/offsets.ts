/** The two ways to count in a text: the server counts characters, the browser counts UTF-16 units. */

/** The number of characters before a position in UTF-16 units. */
export function charactersBefore(text: string, unit: number): number {
  return Array.from(text.slice(0, unit)).length;
}

/** The position in UTF-16 units of a character; positions beyond the end become the end. */
export function unitAt(text: string, character: number): number {
  let unit = 0;
  let count = 0;
  for (const each of text) {
    if (count >= character) break;
    unit += each.length;
    count += 1;
  }
  return unit;
}

/**
 * The server's line and columns (from 1) as positions in UTF-16 units; the span is at least one
 * unit long, if the text has any.
 */
export function spanOf(
  text: string,
  line: number,
  column: number,
  endColumn: number | undefined,
): { start: number; end: number } {
  const lines = text.split('\n');
  const lineAt = Math.min(Math.max(line, 1), lines.length) - 1;
  const lineStart = lines.slice(0, lineAt).reduce((sum, each) => sum + each.length + 1, 0);
  const content = lines[lineAt] ?? '';
  const start = unitAt(content, column - 1);
  const end = unitAt(content, Math.max((endColumn ?? column + 1) - 1, column));
  // At the end of the line, the preceding character stands for the missing one.
  const from = start === content.length ? Math.max(0, start - 1) : start;
  return { start: lineStart + from, end: lineStart + Math.max(end, from) };
}
