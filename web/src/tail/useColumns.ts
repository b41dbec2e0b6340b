/** The widths of the columns. They grow while the first lines come, and hold still afterwards. */
import { useState } from 'react';
import type { Line } from './buffer';
import { type Widths, widthsOf } from './columns';

export function useColumns(lines: readonly Line[]): Widths {
  const [known, setKnown] = useState({ lines: 0, ...widthsOf([]) });
  // With twice the lines it is worth a look again: that is a dozen times in all, however many come.
  if (lines.length > 0 && lines.length >= 2 * known.lines) {
    const now = widthsOf(lines);
    const widths = {
      host: Math.max(known.host, now.host),
      program: Math.max(known.program, now.program),
    };
    setKnown({ lines: lines.length, ...widths });
    return widths;
  }
  return known;
}
