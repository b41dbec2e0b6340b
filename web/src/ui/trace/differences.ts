/** The differences of two texts, word by word. Pure. */

export type DiffPart = { text: string; kind: 'same' | 'gone' | 'new' };

/**
 * The maximum number of words that are compared completely: of longer texts, only the part from the
 * first to the last difference is compared.
 */
const WORDS_MAX = 300;

/** The parts of both texts, in order: removed parts come before the parts that replace them. */
export function differences(before: string, after: string): DiffPart[] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (words: string[]): DiffPart[] => words.map((text) => ({ text, kind: 'same' }));
  return joined([...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))]);
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function between(a: string[], b: string[]): DiffPart[] {
  const gone: DiffPart = { text: a.join(''), kind: 'gone' };
  const fresh: DiffPart = { text: b.join(''), kind: 'new' };
  if (a.length === 0 || b.length === 0 || a.length > WORDS_MAX || b.length > WORDS_MAX)
    return [gone, fresh];
  return path(a, b, lengths(a, b));
}

/** The length of the longest common sequence of the words after each pair of positions. */
function lengths(a: string[], b: string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const [row = [], next = []] = [table[i], table[i + 1]];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? 1 + (next[j + 1] ?? 0) : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

function path(a: string[], b: string[], table: number[][]): DiffPart[] {
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one = '', other = ''] = [a[i], b[j]];
    if (i < a.length && j < b.length && one === other) {
      parts.push({ text: one, kind: 'same' });
      [i, j] = [i + 1, j + 1];
    } else if (
      j >= b.length ||
      (i < a.length && (table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0))
    ) {
      parts.push({ text: one, kind: 'gone' });
      i += 1;
    } else {
      parts.push({ text: other, kind: 'new' });
      j += 1;
    }
  }
  return parts;
}

function joined(parts: readonly DiffPart[]): DiffPart[] {
  const result: DiffPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) last.text += part.text;
    else result.push({ ...part });
  }
  return result;
}
