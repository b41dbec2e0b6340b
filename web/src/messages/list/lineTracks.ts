/** The tracks of a line's grid behind severity and time. */
import type { Look } from '../../ui/message/look';
import type { Room } from './useRoom';

/** In little room the names of hosts and programs give way to the text, and those of logspaces first. */
const COMPACT_CH_MAX = 12;
const COMPACT_LOGSPACE_CH = 6;
/** The square before the name of a logspace, and the number of copies behind it. */
const SQUARE_CH = 4;

export function lineTracks({ host, program, logspace }: Look, room: Room): string {
  const isCompact = room !== 'wide';
  const ch = (of: number) => `${isCompact ? Math.min(of, COMPACT_CH_MAX) : of}ch`;
  const logspaceCh = Math.min(logspace?.ch ?? 0, isCompact ? COMPACT_LOGSPACE_CH : Infinity);
  return [
    ...(host.only === null ? [ch(host.ch)] : []),
    ...(program.only === null ? [ch(program.ch)] : []),
    'minmax(0, 1fr)',
    ...(logspace === null ? [] : [`${logspaceCh + SQUARE_CH}ch`]),
  ].join(' ');
}
