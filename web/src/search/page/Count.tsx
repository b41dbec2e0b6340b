/** How many messages there are, whether that is all, and what it took to find them. */
import { Tooltip } from '@mantine/core';
import { useMemo } from 'react';
import { copiesIn } from '../../messages/list/folds';
import { formatCount, formatShort } from '../../ui/number';
import type { Room } from './room';
import type { Search } from './useSearch';
import { copiesText } from './copies';
import { tookText } from './took';
import classes from './Toolbar.module.css';

export function Count({ search, room }: { search: Search; room: Room }) {
  // The exact number is in what the pointer brings up.
  const format = room === 'little' ? formatShort : formatCount;
  const { total, counting, answered } = search;
  const copies = useCopies(search);
  const isPartial = answered !== undefined && !answered.coverage.complete;
  const text = (
    <span className={classes.count}>
      {total === undefined && counting && <small>Counting…</small>}
      {total !== undefined && (
        <span>
          {format(total)}{' '}
          <small>
            {total === 1 ? 'message' : 'messages'}
            {copies !== null && `, ${copies}`}
          </small>
        </span>
      )}
      {isPartial && <small className={classes.partial}>incomplete</small>}
    </span>
  );
  if (answered === undefined || total === undefined) return text;
  return (
    <Tooltip
      label={[
        ...(copies === null ? [] : ['A message counts in each logspace that has it.']),
        tookText(answered, search.summary?.took_ms),
      ].join(' ')}
      multiline
      maw={320}
    >
      {text}
    </Tooltip>
  );
}

/** Of a long list, its beginning tells whether there are any. */
const LOOKED_AT_MAX = 1_000;

function useCopies({ messages, hasMore }: Search): string | null {
  const copies = useMemo(
    () => copiesIn(messages?.slice(0, hasMore ? LOOKED_AT_MAX : Infinity) ?? []),
    [messages, hasMore],
  );
  return copiesText(copies, hasMore);
}
