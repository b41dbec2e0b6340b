/** The tracks of a line's grid behind severity and time. */
import { type Look, shownParts } from '../../ui/message/look';
import type { Room } from './useRoom';

/** In little room the names of hosts and programs give way to the text, and those of logspaces first. */
const COMPACT_CH_MAX = 12;
const COMPACT_LOGSPACE_CH = 6;
/** The square before the name of a logspace. */
const SQUARE_CH = 3;

export function lineTracks(look: Look, room: Room): string {
  const isCompact = room !== 'wide';
  const ch = (of: number, max: number) => (isCompact ? Math.min(of, max) : of);
  return shownParts(look)
    .map((part) => {
      switch (part) {
        case 'host':
        case 'program':
          return `${ch(look[part].ch, COMPACT_CH_MAX)}ch`;
        case 'message':
          return 'minmax(0, 1fr)';
        case 'logspace':
          return `${ch(look.logspace?.ch ?? 0, COMPACT_LOGSPACE_CH) + SQUARE_CH}ch`;
      }
    })
    .join(' ');
}
