/**
 * The rates between two readings of the server's counters: those of each fate and of each queue.
 * Pure.
 */
import type { RouterStatus } from '../../api/model';
import { useState } from 'react';

/** Rates in messages per second. */
export type Fates = {
  received: number;
  stored: number;
  /** Messages that were sent to destinations only. */
  forwarded: number;
  /** Messages that routes dropped, or sent only to disabled targets. */
  dropped: number;
  /** Messages that nobody wanted to lose. */
  lost: number;
  /** Messages that no route took. */
  unrouted: number;
};

/** The rates into a queue and out of it, in messages per second. */
export type QueueRates = { in: number; out: number };

export type MeasuredRates = {
  fates: Fates;
  /** The rates of the queues, by the ids of their destinations. */
  queues: ReadonlyMap<string, QueueRates>;
};

/** The minimum time between two readings: a shorter one shows nothing. */
const SECONDS_MIN = 2;

/**
 * The rates between two readings; undefined until enough time has passed between them, and if the
 * counters were reset in between.
 */
export function measuredRates(earlier: RouterStatus, now: RouterStatus): MeasuredRates | undefined {
  const seconds = (Date.parse(now.time) - Date.parse(earlier.time)) / 1000;
  const [before, after] = [countsOf(earlier), countsOf(now)];
  if (!(seconds >= SECONDS_MIN) || after.received < before.received) return undefined;
  const rate = (key: keyof Fates) => Math.max(0, (after[key] - before[key]) / seconds);
  return {
    fates: {
      received: rate('received'),
      stored: rate('stored'),
      forwarded: rate('forwarded'),
      dropped: rate('dropped'),
      lost: rate('lost'),
      unrouted: rate('unrouted'),
    },
    queues: queuesOf(earlier, now, seconds),
  };
}

/** The counts so far. */
export function countsOf({ totals }: RouterStatus): Fates {
  const dropped = Object.entries(totals.dropped);
  const sum = (of: (reason: string) => boolean) =>
    dropped.reduce((all, [reason, count]) => all + (of(reason) ? count : 0), 0);
  return {
    received: totals.received,
    stored: totals.stored,
    forwarded: totals.forwarded,
    dropped: sum(isMeant),
    lost:
      totals.lost_before + totals.unacknowledged + sum((one) => !isMeant(one) && one !== NO_ROUTE),
    unrouted: sum((one) => one === NO_ROUTE),
  };
}

const NO_ROUTE = 'no_route';

/**
 * Whether messages are dropped on purpose: because of the document, or of the list of allowed
 * senders.
 */
function isMeant(reason: string): boolean {
  return (
    reason.startsWith('route:') || reason === 'destination_disabled' || reason === 'not_allowed'
  );
}

function queuesOf(earlier: RouterStatus, now: RouterStatus, seconds: number) {
  const before = new Map(earlier.destinations.map((one) => [one.id, one]));
  return new Map(
    now.destinations.flatMap(({ id, queued, queue_messages: waiting }) => {
      const old = before.get(id);
      if (old === undefined || queued < old.queued) return [];
      const came = queued - old.queued;
      // Messages that arrived and are not waiting have left: they were sent, refused, expired or discarded.
      const left = Math.max(0, came - (waiting - old.queue_messages));
      return [[id, { in: came / seconds, out: left / seconds }] as const];
    }),
  );
}

/**
 * The number of readings, one per second: enough for destinations that are sent to in bursts, few
 * enough to show a change.
 */
const LOOKS_MAX = 30;

type Seen = { looks: readonly RouterStatus[]; measured: MeasuredRates | undefined };

/** The rates over the last half minute: each new status is a reading. */
export function useMeasured(status: RouterStatus | undefined): MeasuredRates | undefined {
  const [seen, setSeen] = useState<Seen>({ looks: [], measured: undefined });
  // Readings from before a gap show nothing about the present.
  if (status === undefined) return undefined;
  if (status === seen.looks.at(-1)) return seen.measured;
  // The counters start again with the process.
  const began = seen.looks.some(({ totals }) => totals.received > status.totals.received);
  const looks = [...(began ? [] : seen.looks), status].slice(-LOOKS_MAX);
  setSeen({ looks, measured: looks[0] && measuredRates(looks[0], status) });
  return seen.measured;
}
