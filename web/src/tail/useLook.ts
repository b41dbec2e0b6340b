/** How the rows of a tail are drawn. Columns grow while the first lines come, and hold still afterwards. */
import { useState } from 'react';
import type { Hits } from '../ui/highlight';
import { type Look, lookOf, nothingCommon } from '../ui/message/look';
import type { Line } from './buffer';
import { grown } from './grown';

const LOOKED_AT = 500;

export function useLook(lines: readonly Line[], hits: Hits, columns: readonly string[]): Look {
  const [known, setKnown] = useState<{ lines: number; look: Look | null }>({
    lines: 0,
    look: null,
  });
  // With twice the lines it is worth a look again: that is a dozen times in all, however many come.
  if (known.look !== null && lines.length < 2 * known.lines) return known.look;
  const newest = lines.slice(-LOOKED_AT).toReversed();
  const messages = newest.flatMap((line) => (line.kind === 'message' ? [line.message] : []));
  const asked = hits.flatMap(({ field }) => (field === null ? [] : [field]));
  const look = grown(known.look, lookOf(messages, [...asked, ...columns], nothingCommon));
  if (lines.length > 0) setKnown({ lines: lines.length, look });
  return look;
}
