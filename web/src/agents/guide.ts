/**
 * The agents' guide, read from the documentation: its configurations are written there and nowhere else.
 *
 * `## Group`, `### Agent`, then paragraphs and fenced blocks. The text before the first group is for readers of the
 * documentation, except for the sources that some agents need.
 */

export type Block = { kind: 'text' | 'code'; text: string };

export type Agent = { id: string; name: string; group: string; blocks: readonly Block[] };

export type Guide = {
  agents: readonly Agent[];
  /** Sources that have to be added to the default router document. */
  sources: readonly string[];
};

export function readGuide(markdown: string): Guide {
  const agents: (Agent & { blocks: Block[] })[] = [];
  const sources: string[] = [];
  let group = '';
  for (const piece of piecesOf(markdown)) {
    if (piece.kind === 'group') group = piece.text;
    else if (piece.kind === 'agent')
      agents.push({ id: idOf(piece.text), name: piece.text, group, blocks: [] });
    else if (agents.length > 0) agents.at(-1)?.blocks.push({ kind: piece.kind, text: piece.text });
    else if (piece.text.startsWith('[[sources]]')) sources.push(piece.text);
  }
  return { agents, sources };
}

export type TextRun = { kind: 'plain' | 'code' | 'emphasis'; text: string };

/**
 * The runs of a paragraph. Only the words of a link are kept: the console does not serve the linked
 * documents.
 */
export function runsOf(paragraph: string): TextRun[] {
  const words = paragraph.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return words.split(/(`[^`]+`|\*[^*]+\*)/).flatMap((text): TextRun[] => {
    if (text === '') return [];
    if (/^`.+`$/.test(text)) return [{ kind: 'code', text: text.slice(1, -1) }];
    if (/^\*.+\*$/.test(text)) return [{ kind: 'emphasis', text: text.slice(1, -1) }];
    return [{ kind: 'plain', text }];
  });
}

/** The agents whose name or group contains the text; if none does, those that mention it. */
export function agentsWith(agents: readonly Agent[], text: string): readonly Agent[] {
  const wanted = text.trim().toLowerCase();
  const has = (place: string) => place.toLowerCase().includes(wanted);
  const named = agents.filter(({ name, group }) => has(name) || has(group));
  if (named.length > 0) return named;
  return agents.filter(({ blocks }) => blocks.some((block) => has(block.text)));
}

type Piece = { kind: Block['kind'] | 'group' | 'agent'; text: string };

/**
 * A fenced block, a heading, or a paragraph up to an empty line. Fenced blocks are matched first:
 * they may contain lines that look like the others.
 */
const PIECE = /^```.*\n([^]*?)\n```$|^(##|###) (.+)$|^(?!```|#).+(?:\n(?!```|#).+)*/gm;

function piecesOf(markdown: string): Piece[] {
  return [...markdown.matchAll(PIECE)].map(([text, code, marks, heading]) => {
    if (code !== undefined) return { kind: 'code', text: code };
    if (heading !== undefined) return { kind: marks === '##' ? 'group' : 'agent', text: heading };
    return { kind: 'text', text: text.replaceAll('\n', ' ') };
  });
}

function idOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
