/** What flows, by the looks of the last half minute: each new status is one. */
import { useState } from 'react';
import type { RouterStatus } from '../../api/model';
import { type Measured, measured } from './measure';

/** A look a second: long enough for destinations that are sent to in lumps, short enough to see a change. */
const LOOKS_MAX = 30;

type Seen = { looks: readonly RouterStatus[]; measured: Measured | undefined };

export function useMeasured(status: RouterStatus | undefined): Measured | undefined {
  const [seen, setSeen] = useState<Seen>({ looks: [], measured: undefined });
  // What flowed before it was not known any more says nothing of now.
  if (status === undefined) return undefined;
  if (status === seen.looks.at(-1)) return seen.measured;
  // The counters begin anew with the process.
  const began = seen.looks.some(({ totals }) => totals.received > status.totals.received);
  const looks = [...(began ? [] : seen.looks), status].slice(-LOOKS_MAX);
  setSeen({ looks, measured: looks[0] && measured(looks[0], status) });
  return seen.measured;
}
