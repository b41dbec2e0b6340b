/** Ledgers for tests. */
import type { Ledger, LedgerCounts, LedgerDestination, LedgerRow } from '../api/model';
import { sumOf } from './reasons';

const nothing: LedgerCounts = {
  received: 0,
  stored: 0,
  stored_in: {},
  forwarded: 0,
  forwarded_to: {},
  dropped: {},
  unacknowledged: 0,
  lost_before: {},
  skipped_bytes: {},
  in_flight: 0,
  remainder: 0,
};

export function row(source: string, counts: Partial<LedgerCounts>): LedgerRow {
  return { source, ...nothing, ...counts };
}

export function destination(id: string, counts: Partial<LedgerDestination>): LedgerDestination {
  return {
    id,
    waiting_before: 0,
    queued: 0,
    delivered: 0,
    quarantined: 0,
    dropped: {},
    waiting: 0,
    remainder: 0,
    ...counts,
  };
}

export function ledger(
  rows: readonly LedgerRow[],
  destinations: readonly LedgerDestination[] = [],
): Ledger {
  const total = rows.reduce(added, nothing);
  const time = '2026-11-23T10:00:00Z';
  const { received, stored, forwarded, unacknowledged } = total;
  const dropped = sumOf(total.dropped);
  return {
    from: time,
    to: '2026-11-23T10:02:00Z',
    step: '1m',
    rows: [...rows],
    total,
    series: [
      { time, received, stored, forwarded, dropped, unacknowledged },
      { ...nothing, time: '2026-11-23T10:01:00Z', dropped: 0 },
    ],
    destinations: [...destinations],
  };
}

function added(sum: LedgerCounts, more: LedgerCounts): LedgerCounts {
  return {
    received: sum.received + more.received,
    stored: sum.stored + more.stored,
    stored_in: both(sum.stored_in, more.stored_in),
    forwarded: sum.forwarded + more.forwarded,
    forwarded_to: both(sum.forwarded_to, more.forwarded_to),
    dropped: both(sum.dropped, more.dropped),
    unacknowledged: sum.unacknowledged + more.unacknowledged,
    lost_before: both(sum.lost_before, more.lost_before),
    skipped_bytes: both(sum.skipped_bytes, more.skipped_bytes),
    in_flight: sum.in_flight + more.in_flight,
    remainder: sum.remainder + more.remainder,
  };
}

function both(a: LedgerCounts['dropped'], b: LedgerCounts['dropped']): Record<string, number> {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...keys].map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)]));
}
