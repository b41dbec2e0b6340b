/** How many messages there are, whether that is all, and what it took to find them. */
import { Tooltip } from '@mantine/core';
import { formatCount, formatShort } from '../../ui/number';
import type { Room } from './room';
import type { Search } from './useSearch';
import { LeftOut } from './LeftOut';
import { tookText } from './took';
import classes from './Toolbar.module.css';

type Props = {
  search: Search;
  room: Room;
  /** Makes copies count. */
  onCopies: () => void;
};

export function Count({ search, room, onCopies }: Props) {
  // The exact number is in what the pointer brings up.
  const format = room === 'little' ? formatShort : formatCount;
  const { total, counting, answered, summary, stale } = search;
  const isPartial = answered !== undefined && !answered.coverage.complete;
  const text = (
    <span className={classes.count}>
      {total === undefined && counting && <small>Counting…</small>}
      {total !== undefined && (
        <span>
          {format(total)} <small>{total === 1 ? 'message' : 'messages'}</small>
        </span>
      )}
      {isPartial && <small className={classes.partial}>incomplete</small>}
    </span>
  );
  return (
    <>
      {answered === undefined || total === undefined ? (
        text
      ) : (
        <Tooltip label={tookText(answered, summary?.took_ms)} multiline maw={320}>
          {text}
        </Tooltip>
      )}
      {!stale && <LeftOut copies={summary?.copies} onShow={onCopies} />}
    </>
  );
}
