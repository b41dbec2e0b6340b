/** The reasons why messages did not arrive, in words, and whether that was intended. */

export type Counts = Readonly<Record<string, number>>;

export type Reason = {
  name: string;
  /** A sentence for the tooltip. */
  about: string;
  isLoss: boolean;
};

const reasons: Readonly<Record<string, Reason>> = {
  no_route: {
    name: 'no route',
    about: 'No route of the router document took them.',
    isLoss: false,
  },
  destination_disabled: {
    name: 'destination disabled',
    about: 'They were meant only for destinations that are disabled.',
    isLoss: false,
  },
  queue_full: {
    name: 'queue full',
    about: 'There was no room, and the sender could not be held back.',
    isLoss: true,
  },
  not_allowed: {
    name: 'not allowed',
    about: 'They came from an address that the source does not accept.',
    isLoss: false,
  },
  refused: {
    name: 'refused',
    about: 'Their senders were told that they could not be stored, and may send them again.',
    isLoss: true,
  },
  stopped: {
    name: 'stopped',
    about: 'The server stopped before they were safe, and their senders wait for no answer.',
    isLoss: true,
  },
  failed: {
    name: 'failed',
    about: 'They could not be stored, and their senders wait for no answer.',
    isLoss: true,
  },
  expired: {
    name: 'expired',
    about: 'They waited longer than the queue keeps messages.',
    isLoss: true,
  },
  unreadable: {
    name: 'unreadable',
    about: 'They were damaged on the disk; the file that holds them is kept.',
    isLoss: true,
  },
  discarded: {
    name: 'discarded',
    about: 'An operator discarded them; the audit log says who.',
    isLoss: false,
  },
  socket_buffer_full: {
    name: 'socket buffer full',
    about: 'The system had no room for these datagrams before the server could read them.',
    isLoss: true,
  },
  sequence_gap: {
    name: 'gap in the sequence',
    about: 'The senders’ own numbers have gaps: these did not arrive.',
    isLoss: true,
  },
};

export function reasonOf(reason: string): Reason {
  return reasons[reason] ?? { name: reason.replaceAll('_', ' '), about: '', isLoss: true };
}

export function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The reasons that occurred, most frequent first. */
export function happened(counts: Counts): [string, number][] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([a, left], [b, right]) => right - left || a.localeCompare(b));
}

/** The reasons in one line, such as `1 200 no route, 3 stopped`. */
export function reasonsText(counts: Counts, write: (count: number) => string): string {
  const parts = happened(counts).map(
    ([reason, count]) => `${write(count)} ${reasonOf(reason).name}`,
  );
  return parts.join(', ');
}
