/**
 * A text of a message with the hits of the query marked, and with nothing in it that could affect
 * the display.
 */
import { type ReactNode, memo } from 'react';
import { type Hits, hitsIn, markHits } from '../highlight';
import { visible } from './text';

type Props = {
  text: string;
  /** The field that the text belongs to; only hits in that field are marked. */
  field: string;
  hits: Hits;
  /** Whether the text may have several lines. */
  lines?: boolean;
};

export const HighlightedText = memo(function Marked({ text, field, hits, lines }: Props) {
  return highlightedText(text, field, hits, lines);
});

/**
 * The same text without a component of its own: a list has hundreds of them, each in a row that is
 * drawn once.
 */
export function highlightedText(text: string, field: string, hits: Hits, lines = false): ReactNode {
  const own = hits.length === 0 ? hits : hitsIn(hits, field);
  if (own.length === 0) return visible(text, lines);
  return markHits(text, own).map((piece, at) =>
    piece.color === null ? (
      visible(piece.text, lines)
    ) : (
      <mark key={at} data-color={piece.color}>
        {visible(piece.text, lines)}
      </mark>
    ),
  );
}
