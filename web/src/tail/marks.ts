/** Marks in a text what the query found and what the reader wants to see, each in its own colour. */
import { type Hits, markHits } from '../ui/highlight';

/** `tone` counts the reader's texts from 0; `hit` is a hit of the query. */
export type MarkedPiece = { text: string; tone: number | 'hit' | null };

export type Marks = { hits: Hits; texts: Hits; highlights: readonly string[] };

export function marksFor(hits: Hits, highlights: readonly string[]): Marks {
  const known = highlights.map((text) => text.toLowerCase());
  // The longest first, so that `error` does not take the place of `error 42`.
  const sources = [...known].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(sources.join('|'), 'giu');
  const texts = sources.length === 0 ? [] : [{ field: null, pattern, color: 0 }];
  return { hits, texts, highlights: known };
}

/** The text in pieces, in order; together they are the text. The reader's texts go before the hits. */
export function mark(text: string, { hits, texts, highlights }: Marks): MarkedPiece[] {
  return markHits(text, texts).flatMap((piece): MarkedPiece[] =>
    piece.color !== null
      ? [{ text: piece.text, tone: Math.max(0, highlights.indexOf(piece.text.toLowerCase())) }]
      : markHits(piece.text, hits).map(({ text, color }) => ({
          text,
          tone: color === null ? null : 'hit',
        })),
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
