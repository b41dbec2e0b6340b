/** How rows are drawn once more of them are known: no column becomes narrower, and none goes away. */
import type { Column, Look } from '../ui/message/look';

export function grown(before: Look | null, now: Look): Look {
  if (before === null) return now;
  return {
    order: now.order,
    profile: now.profile,
    host: grownColumn(before.host, now.host),
    program: grownColumn(before.program, now.program),
    logspace: before.logspace === null ? now.logspace : grownColumn(before.logspace, now.logspace),
  };
}

function grownColumn(before: Column, now: Column | null): Column {
  return {
    ch: Math.max(before.ch, now?.ch ?? 0),
    only: now?.only === before.only ? before.only : null,
  };
}
