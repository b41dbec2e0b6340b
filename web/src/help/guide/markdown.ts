/** Parses the subset of Markdown that the documentation uses into blocks. Pure. */

export type Block =
  | { kind: 'heading'; level: number; text: string; anchor: string }
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: readonly string[] }
  | { kind: 'table'; head: readonly string[]; rows: readonly (readonly string[])[] };

export type TextRun =
  | { kind: 'plain' | 'code' | 'strong' | 'emphasis'; text: string }
  | { kind: 'link'; text: string; to: string };

const ITEM = /^(?:[-*]|(\d+)\.) (.*)$/;

export function readMarkdown(markdown: string): readonly Block[] {
  const lines = withoutComments(markdown).split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const [block, next] = blockAt(lines, at);
    if (block !== null) blocks.push(block);
    at = next;
  }
  return blocks;
}

/**
 * A part of a document: its heading and everything up to the next one of its level. Empty if there is no such heading.
 */
export function partOf(blocks: readonly Block[], anchor: string): readonly Block[] {
  const start = blocks.findIndex((block) => block.kind === 'heading' && block.anchor === anchor);
  const head = blocks[start];
  if (head?.kind !== 'heading') return [];
  const rest = blocks.slice(start + 1);
  const end = rest.findIndex((block) => block.kind === 'heading' && block.level <= head.level);
  return [head, ...(end === -1 ? rest : rest.slice(0, end))];
}

/** The anchor of a heading, as GitHub generates it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const RUN = /(`+)(.+?)\1|\*\*(.+?)\*\*|\*(.+?)\*|!?\[((?:[^\]`]|`[^`]*`)*)\]\(([^)]+)\)/g;

export function runsOf(text: string): readonly TextRun[] {
  const runs: TextRun[] = [];
  let end = 0;
  for (const match of text.matchAll(RUN)) {
    const [whole, , code, strong, emphasis, words, to] = match;
    if (match.index > end) runs.push({ kind: 'plain', text: text.slice(end, match.index) });
    end = match.index + whole.length;
    if (code !== undefined) runs.push({ kind: 'code', text: code });
    else if (strong !== undefined) runs.push({ kind: 'strong', text: strong });
    else if (emphasis !== undefined) runs.push({ kind: 'emphasis', text: emphasis });
    // Pictures are left out, as they show the console itself.
    else if (!whole.startsWith('!'))
      runs.push({ kind: 'link', text: (words ?? '').replaceAll('`', ''), to: to ?? '' });
  }
  if (end < text.length) runs.push({ kind: 'plain', text: text.slice(end) });
  return runs;
}

function withoutComments(markdown: string): string {
  return markdown.replaceAll(/<!--[^]*?-->/g, '');
}

function blockAt(lines: readonly string[], at: number): [Block | null, number] {
  const line = lines[at] ?? '';
  if (line.trim() === '') return [null, at + 1];
  if (line.startsWith('```')) {
    const end = nextWhere(lines, at + 1, (one) => one.startsWith('```'));
    return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
  }
  const [, marks, heading = ''] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
  if (marks !== undefined) {
    const text = heading.replaceAll('`', '');
    return [{ kind: 'heading', level: marks.length, text, anchor: anchorOf(text) }, at + 1];
  }
  if (line.startsWith('|')) {
    const end = nextWhere(lines, at, (one) => !one.startsWith('|'));
    const [head = [], , ...rows] = lines.slice(at, end).map(cellsOf);
    return [{ kind: 'table', head, rows }, end];
  }
  if (ITEM.test(line)) return listAt(lines, at);
  const end = nextWhere(lines, at + 1, (one) => one.trim() === '' || /^(```|#|\|)/.test(one));
  const text = lines.slice(at, end).join(' ');
  return [/^!\[[^\]]*\]\([^)]*\)$/.test(text) ? null : { kind: 'text', text }, end];
}

/** An item continues in the indented lines that follow it. */
function listAt(lines: readonly string[], at: number): [Block, number] {
  const items: string[] = [];
  const isOrdered = /^\d/.test(lines[at] ?? '');
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const begun = ITEM.exec(line);
    if (begun !== null) items.push(begun[2] ?? '');
    else if (/^ +\S/.test(line)) items.push(`${items.pop() ?? ''} ${line.trim()}`);
    else break;
  }
  return [{ kind: 'list', isOrdered, items }, next];
}

/** A bar after a backslash is part of the text. */
function cellsOf(line: string): readonly string[] {
  return line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function nextWhere(lines: readonly string[], from: number, is: (line: string) => boolean): number {
  const at = lines.slice(from).findIndex(is);
  return at === -1 ? lines.length : from + at;
}
