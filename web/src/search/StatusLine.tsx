/** How many messages there are, how long it took, and whether new ones come in by themselves. */
import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SearchResponse } from '../api/model';
import { formatCount } from '../ui/number';
import { useZone, zoneLabel } from '../ui/time';
import { canRefresh } from '../ui/range';
import { type Refresh, type SearchState, refreshes } from './searchParams';
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
  const [zone] = useZone();
  return (
    <div className={classes.line}>
      <span className={classes.total}>
        {counting && 'Counting…'}
        {total !== undefined && `${formatCount(total)} ${plural(total)}`}
      </span>
      {search !== undefined && <span className="dimmed">{formatTook(search.took_ms)}</span>}
      <span className={classes.zone}>Times in {zoneLabel(zone, new Date())}</span>
      {children}
      {paused && (
        <span className="dimmed">
          Paused
          <span className={classes.why}>
            {' '}
            while {state.open === null ? 'scrolled' : 'a message is open'}
          </span>
        </span>
      )}
      {live && <span className={classes.pulse} aria-hidden />}
      <NativeSelect
        aria-label="Refresh"
        className={classes.refresh ?? ''}
        disabled={!canRefresh(state.range)}
        value={canRefresh(state.range) ? state.refresh : 'off'}
        onChange={(event) => onChange({ refresh: event.currentTarget.value as Refresh })}
        data={refreshes.map((value) => ({ value, label: refreshLabel(value) }))}
      />
    </div>
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
