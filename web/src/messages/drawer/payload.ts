/**
 * The text of a message in its most readable form: objects and pairs line by line, a stack trace
 * unfolded.
 */
import { withoutAnsi } from '../../ui/message/text';
import { type Pair, readObject, readStructure } from '../../ui/message/structure';

export type Payload =
  | { kind: 'json'; text: string; trace: string | null }
  | { kind: 'pairs'; pairs: readonly Pair[]; trace: null }
  | { kind: 'trace' | 'text'; text: string; trace: null };

/** Maximum length of a text that is parsed; longer texts are shown as they are. */
const READ_CHARACTERS_MAX = 65_536;

/** The beginning of a stack trace line in various languages, after a line end. */
const FRAME = /\n[ \t]{1,64}(?:at\s\S|File "|\.{3} \d{1,6} more|from \S{1,400}:\d{1,9}:in )/u;
/** The same in a text whose line ends were escaped once too often. */
const ESCAPED_FRAME = /\\n(?:\\t|[ ]{1,64})[ ]{0,8}(?:at\s\S|File |\.{3} \d{1,6} more)/u;

export function payloadOf(message: string): Payload {
  const text = withoutAnsi(message);
  if (text.length > READ_CHARACTERS_MAX) return { kind: 'text', text, trace: null };
  if (readObject(text) !== null) {
    return { kind: 'json', text: indented(text), trace: traceIn(readStructure(text)?.pairs ?? []) };
  }
  const structure = readStructure(text);
  if (structure !== null) return { kind: 'pairs', pairs: structure.pairs, trace: null };
  const unfolded = unfoldedTrace(text);
  return unfolded === null
    ? { kind: 'text', text, trace: null }
    : { kind: 'trace', text: unfolded, trace: null };
}

/** The text with its stack trace unfolded into lines; null if it has none. */
export function unfoldedTrace(text: string): string | null {
  if (ESCAPED_FRAME.test(text)) {
    return text.replaceAll(/(?:\\r)?\\n/gu, '\n').replaceAll('\\t', '\t');
  }
  return FRAME.test(text) ? text : null;
}

function traceIn(pairs: readonly Pair[]): string | null {
  for (const { value } of pairs) {
    const trace = unfoldedTrace(value);
    if (trace !== null) return trace;
  }
  return null;
}

/**
 * An object line by line. Works on its text and not on a parsed value, so that numbers keep all
 * their digits.
 */
export function indented(json: string): string {
  const tokens = json.replace(/^\s*@cee:/u, '').match(TOKEN) ?? [];
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const end = () => {
    if (line.trim() !== '') lines.push(line);
    line = '  '.repeat(depth);
  };
  tokens.forEach((token, at) => {
    const opens = token === '{' || token === '[';
    const isEmpty = opens && CLOSING.has(tokens[at + 1] ?? '');
    if (CLOSING.has(token) && !OPENING.has(tokens[at - 1] ?? '')) {
      depth -= 1;
      end();
    }
    line += token === ':' ? ': ' : token;
    if (isEmpty || (token !== ',' && !opens)) return;
    if (opens) depth += 1;
    end();
  });
  end();
  return lines.join('\n');
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gu;
const OPENING: ReadonlySet<string> = new Set(['{', '[']);
const CLOSING: ReadonlySet<string> = new Set(['}', ']']);
