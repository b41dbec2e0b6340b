/**
 * Proposes a pattern that finds a part of a message in similar messages, by the text on both sides.
 * Pure.
 */

/** `value` is between `before` and `after`, in which `<_>` matches any text. */
export type Proposal = { name: string; value: string; before: string; after: string };

/** A word in the sense of logs: an address, a path or a number with a unit is a single word. */
const WORD_BEFORE = /[\p{L}\p{N}_.@/+:-]*[\p{L}\p{N}_]$/u;
const WORD_AFTER = /^[\p{L}\p{N}_][\p{L}\p{N}_.@/+:-]*/u;
const BETWEEN_BEFORE = /[^\p{L}\p{N}_]*$/u;
const BETWEEN_AFTER = /^[^\p{L}\p{N}_]*/u;
const LETTERS_BEFORE = /[\p{L}\p{N}_]+$/u;
const LETTERS_AFTER = /^[\p{L}\p{N}_]+/u;
const SPACE = /\s/u;
/** A text that would be read as a field. */
const LOOKS_LIKE_FIELD = /<[\p{L}_@.][\p{L}\p{N}_@.-]*>/u;
/** Maximum number of words that are skipped before a value, to find one that does not change. */
const PASSED_MAX = 4;
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*(?::[0-9a-f]*){2,7})$/iu;
const NAME = /^[\p{L}_][\p{L}\p{N}_]{0,39}$/u;

/**
 * The position in a message of text that was selected in its row; if it occurs several times, the
 * one closest to `near`.
 */
export function placeIn(message: string, text: string, near: number): number | null {
  let best: number | null = null;
  for (let at = message.indexOf(text); at !== -1; at = message.indexOf(text, at + 1)) {
    if (best === null || Math.abs(at - near) < Math.abs(best - near)) best = at;
  }
  return best;
}

/**
 * Proposes a pattern; null if no text around the selection identifies it. `taken` are the fields of
 * every message, whose names cannot be used.
 */
export function proposalFor(
  message: string,
  start: number,
  end: number,
  taken: readonly string[],
): Proposal | null {
  const [from, to] = wholeWords(message, start, end);
  const value = message.slice(from, to);
  if (value.trim() === '' || value.includes('\n')) return null;
  const left = message.slice(message.lastIndexOf('\n', from - 1) + 1, from);
  const [right = ''] = message.slice(to).split('\n', 1);
  const before = textBefore(left);
  const after = textAfter(right, value, before === '');
  if (before + after === '') return null;
  // At either end of a pattern, a field ends with the word.
  if (SPACE.test(value) && (before === '' || after === '')) return null;
  if (LOOKS_LIKE_FIELD.test(before.replaceAll('<_>', '') + after)) return null;
  return { name: nameFor(left, value, taken), value, before, after };
}

/** Extends a selection that begins or ends within a word to the whole word. */
function wholeWords(message: string, start: number, end: number): [number, number] {
  const selected = message.slice(start, end);
  const grownBefore = LETTERS_AFTER.test(selected)
    ? (LETTERS_BEFORE.exec(message.slice(0, start))?.[0].length ?? 0)
    : 0;
  const grownAfter = LETTERS_BEFORE.test(selected)
    ? (LETTERS_AFTER.exec(message.slice(end))?.[0].length ?? 0)
    : 0;
  return [start - grownBefore, end + grownAfter];
}

/** The text back to a word that is characteristic and does not look like a value itself. */
function textBefore(left: string): string {
  let text = '';
  let rest = left;
  for (let passed = 0; passed <= PASSED_MAX; passed += 1) {
    const between = BETWEEN_BEFORE.exec(rest)?.[0] ?? '';
    text = between + text;
    rest = rest.slice(0, rest.length - between.length);
    const word = WORD_BEFORE.exec(rest)?.[0] ?? '';
    if (word === '') break;
    const isValue = /\p{N}/u.test(word);
    if (!isValue && !FILLERS.has(word.toLowerCase())) return word + text;
    if (passed === PASSED_MAX) break;
    text = (isValue ? '<_>' : word) + text;
    rest = rest.slice(0, rest.length - word.length);
  }
  return text;
}

/** The shortest text that ends the value: empty if the end of the word is enough. */
function textAfter(right: string, value: string, isFirst: boolean): string {
  const between = BETWEEN_AFTER.exec(right)?.[0] ?? '';
  const [signs = ''] = /^\S*/u.exec(between) ?? [];
  const [sign = ''] = signs;
  if (signs !== '') return value.includes(sign) ? signs : sign;
  if (!isFirst && !SPACE.test(value) && between !== '') return '';
  return right === '' ? '' : between + (WORD_AFTER.exec(right.slice(between.length))?.[0] ?? '');
}

/** The text before a value often names it: `user=`, `port `. */
function nameFor(left: string, value: string, taken: readonly string[]): string {
  const isFree = (name: string) => NAME.test(name) && !taken.includes(name);
  if (ADDRESS.test(value)) return 'ip';
  const word = /([\p{L}_][\p{L}\p{N}_]*)["']?\s?[=:]?\s?["'([{<]?$/u.exec(left)?.[1] ?? '';
  const name = word.toLowerCase();
  return isFree(name) && !FILLERS.has(name) ? name : 'value';
}

/** Words that say nothing about what follows. */
const FILLERS: ReadonlySet<string> = new Set(
  'a an the of to at in on by for from with and or is was as no not'.split(' '),
);
