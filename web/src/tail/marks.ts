/** Marks in a text what the query found and what the reader wants to see, each in its own colour. */
import { markHits } from '../ui/highlight';

/** `tone` counts the reader's texts from 0; `hit` is a hit of the query. */
export type MarkedPiece = { text: string; tone: number | 'hit' | null };

export type Marks = { hits: RegExp | null; texts: RegExp | null; highlights: readonly string[] };

export function marksFor(hits: RegExp | null, highlights: readonly string[]): Marks {
  const known = highlights.map((text) => text.toLowerCase());
  // The longest first, so that `error` does not take the place of `error 42`.
  const sources = [...known].sort((a, b) => b.length - a.length).map(escaped);
  const texts = sources.length === 0 ? null : new RegExp(sources.join('|'), 'giu');
  return { hits, texts, highlights: known };
}

/** The text in pieces, in order; together they are the text. The reader's texts go before the hits. */
export function mark(text: string, { hits, texts, highlights }: Marks): MarkedPiece[] {
  return markHits(text, texts).flatMap((piece): MarkedPiece[] =>
    piece.hit
      ? [{ text: piece.text, tone: Math.max(0, highlights.indexOf(piece.text.toLowerCase())) }]
      : markHits(piece.text, hits).map(({ text, hit }) => ({ text, tone: hit ? 'hit' : null })),
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
