/** The share of a route's messages that its steps drop, by their counters. Pure. */
import type { RouterStatus } from '../../api/model';
import { useState } from 'react';

/** For each route by its id, the share of its messages that each step drops, in order. */
export type Shares = ReadonlyMap<string, readonly number[]>;

type Counted = RouterStatus['routes'][number];

/**
 * The shares among the messages between two readings of the counters, or since the start of the
 * process if none arrived in between.
 */
export function sharesOf(status: RouterStatus | undefined, earlier?: RouterStatus): Shares {
  const before = new Map(earlier?.routes.map((route) => [route.id, route]));
  return new Map(
    (status?.routes ?? []).map((route) => [route.id, ofRoute(route, before.get(route.id))]),
  );
}

function ofRoute(now: Counted, earlier: Counted | undefined): number[] {
  const isSame = earlier !== undefined && kindsOf(earlier) === kindsOf(now);
  const came = isSame ? now.messages - earlier.messages : 0;
  // The counters start again with the process, and if the steps change.
  const base = came > 0 ? earlier : undefined;
  const messages = base === undefined ? now.messages : came;
  return now.steps.map((step, at) => {
    const dropped = step.dropped - (base?.steps[at]?.dropped ?? 0);
    return messages <= 0 ? 0 : Math.min(1, Math.max(0, dropped / messages));
  });
}

function kindsOf({ steps }: Counted): string {
  return steps.map(({ kind }) => kind).join();
}

/** The same span as the rates of the status. */
const LOOKS_MAX = 10;

/**
 * The rate that the steps of each route took out in the last seconds: each new status is a reading of their counters.
 */
export function useShares(status: RouterStatus | undefined): Shares {
  const [looks, setLooks] = useState<readonly RouterStatus[]>([]);
  const [shares, setShares] = useState<Shares>(new Map());
  if (status !== undefined && status !== looks.at(-1)) {
    const next = [...looks, status].slice(-LOOKS_MAX);
    setLooks(next);
    setShares(sharesOf(status, next[0]));
  }
  return shares;
}
