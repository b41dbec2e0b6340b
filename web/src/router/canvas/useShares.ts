/** What the steps of each route took out in the last seconds: each new status is a look at their counters. */
import { useState } from 'react';
import type { RouterStatus } from '../../api/model';
import { type Shares, sharesOf } from './shares';

/** As long as the rates of the status look back. */
const LOOKS_MAX = 10;

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
