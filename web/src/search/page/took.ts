/** How long an answer took and what was looked at for it, in words. */
import type { SearchResponse } from '../../api/model';
import { formatCount, formatMessages } from '../../ui/number';

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
