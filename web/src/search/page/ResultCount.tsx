/** The number of messages, whether that is all, and what it took to find them. */
import { Tooltip } from '@mantine/core';
import { formatCount, formatMessages, formatShort } from '../../ui/number';
import type { ToolbarRoom } from './ToolButton';
import type { Search } from './useSearch';
import { CopiesLeftOut } from './CopiesLeftOut';
import type { SearchResponse } from '../../api/model';
import classes from './Toolbar.module.css';

type Props = {
  search: Search;
  room: ToolbarRoom;
  /** Makes copies count. */
  onCopies: () => void;
};

export function ResultCount({ search, room, onCopies }: Props) {
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
      {!stale && <CopiesLeftOut copies={summary?.copies} onShow={onCopies} />}
    </>
  );
}

type Answered = Pick<SearchResponse, 'took_ms' | 'coverage'>;

/** The rows and the counts are two answers, each with a time of its own. */
export function tookText({ took_ms: rowsMs, coverage }: Answered, countsMs?: number): string {
  const counted = countsMs === undefined ? '' : `, counted in ${formatMs(countsMs)}`;
  const looked = [
    `${formatCount(coverage.segments)} segments`,
    `${formatCount(coverage.journal_batches)} batches`,
  ].join(' and ');
  return (
    `Found in ${formatMs(rowsMs)}${counted}: searched ${looked}, ` +
    `read ${formatMessages(coverage.scanned_messages)} one by one.`
  );
}

function formatMs(ms: number): string {
  return ms < 1 ? 'less than 1 ms' : `${formatCount(Math.round(ms))} ms`;
}
