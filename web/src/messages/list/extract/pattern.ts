/**
 * A text with fields in it, as the stage `extract` takes it: `user=<user> from <ip>`. The server decides what it finds;
 * this says beforehand what that will be among the messages that are loaded. Pure.
 */
import type { Proposal } from './proposal';

const FIELD = /<([\p{L}_@.][\p{L}\p{N}_@.-]*)>/gu;
const SKIPPED = '_';

export function patternOf({ before, name, after }: Omit<Proposal, 'value'>): string {
  return `${before}<${name}>${after}`;
}

/**
 * The values of the fields found in a text; null if the pattern does not match it or is invalid.
 */
export function foundIn(pattern: string, text: string): Record<string, string> | null {
  const compiled = compile(pattern);
  const match = compiled?.regex.exec(text);
  if (compiled == null || match == null) return null;
  return Object.fromEntries(compiled.names.map((name, at) => [name, match[at + 1] ?? '']));
}

/** The number of texts that match, and the first few different values of a field. */
export function matchesIn(pattern: string, name: string, texts: readonly string[], max: number) {
  const values = texts.flatMap((text) => foundIn(pattern, text)?.[name] ?? []);
  return { count: values.length, examples: [...new Set(values)].slice(0, max) };
}

type Compiled = { regex: RegExp; names: string[] };

function compile(pattern: string): Compiled | null {
  const parts = pattern.split(FIELD);
  const fields = parts.filter((_, at) => at % 2 === 1);
  const names = fields.filter((name) => name !== SKIPPED);
  if (names.length === 0 || parts.every((part, at) => at % 2 === 1 || part === '')) return null;
  const last = parts.length - 1;
  const source = parts.map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
    const isLast = at === last - 1 && parts[last] === '';
    const isFirst = at === 1 && parts[0] === '';
    const value = isLast ? String.raw`\S*` : isFirst ? String.raw`\S*?` : String.raw`[\s\S]*?`;
    return part === SKIPPED ? value : `(${value})`;
  });
  return { regex: new RegExp(source.join(''), 'u'), names };
}
