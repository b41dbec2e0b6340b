/** How many messages there are, how long it took, whether that is all, and whether new ones are shown as they come in. */
import { NativeSelect, Tooltip, UnstyledButton } from '@mantine/core';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { SearchResponse } from '../../api/model';
import { formatCount } from '../../ui/number';
import { canRefresh } from '../../ui/range';
import { type Refresh, type SearchState, refreshes } from '../searchParams';
import classes from './StatusLine.module.css';

type Props = {
  state: SearchState;
  search: SearchResponse | undefined;
  total: number | undefined;
  counting: boolean;
  live: boolean;
  paused: boolean;
  onChange: (part: Partial<SearchState>) => void;
  children?: ReactNode;
};

export function StatusLine(props: Props) {
  const { state, search, total, counting, live, paused, onChange, children } = props;
  return (
    <div className={classes.frame}>
      <div className={classes.line}>
        <span className={classes.total}>
          {counting && 'Counting…'}
          {total !== undefined && `${formatCount(total)} ${plural(total)}`}
        </span>
        {search !== undefined && <Took search={search} />}
        <span className={classes.tools}>{children}</span>
        {paused && (
          <span className={classes.paused}>
            <IconPlayerPauseFilled size={12} aria-hidden />
            Paused
            <span>while {state.open === null ? 'scrolled' : 'a message is open'}</span>
          </span>
        )}
        {canRefresh(state.range) && state.refresh === 'off' && (
          <UnstyledButton className={classes.live} onClick={() => onChange({ refresh: 'live' })}>
            <IconPlayerPlayFilled size={12} aria-hidden />
            Go live
          </UnstyledButton>
        )}
        <NativeSelect
          aria-label="Refresh"
          leftSection={live ? <span className={classes.pulse} aria-hidden /> : undefined}
          leftSectionWidth={24}
          leftSectionPointerEvents="none"
          className={classes.refresh ?? ''}
          disabled={!canRefresh(state.range)}
          value={canRefresh(state.range) ? state.refresh : 'off'}
          onChange={(event) => onChange({ refresh: event.currentTarget.value as Refresh })}
          data={refreshes.map((value) => ({ value, label: refreshLabel(value) }))}
        />
      </div>
    </div>
  );
}

/** How long the page took, and what was looked at for it. */
function Took({ search: { took_ms: tookMs, coverage } }: { search: SearchResponse }) {
  const looked =
    `${formatCount(coverage.segments)} segments and ${formatCount(coverage.journal_batches)} batches searched, ` +
    `${formatCount(coverage.scanned_messages)} messages looked at one by one`;
  return (
    <Tooltip label={looked} multiline maw={320}>
      <span className={classes.took} data-complete={coverage.complete}>
        {formatTook(tookMs)}
        {!coverage.complete && ' · not complete'}
      </span>
    </Tooltip>
  );
}

function plural(count: number): string {
  return count === 1 ? 'message' : 'messages';
}

function formatTook(tookMs: number): string {
  return tookMs < 1 ? '< 1 ms' : `${formatCount(Math.round(tookMs))} ms`;
}

function refreshLabel(refresh: Refresh): string {
  switch (refresh) {
    case 'off':
      return 'Refresh off';
    case 'live':
      return 'Live';
    case '5':
    case '10':
      return `Every ${refresh} s`;
  }
}
