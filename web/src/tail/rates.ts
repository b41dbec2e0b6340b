/**
 * The number of matches in each of the last seconds, by severity.
 *
 * If only a part of the messages is sent, it stands for the others: the sum is exact, the shares are estimates.
 */

/**
 * The tones of severities, from the worst to the least severe; `none` is for messages without one.
 */
export const tones = ['critical', 'error', 'warning', 'notice', 'info', 'debug', 'none'] as const;
export type Tone = (typeof tones)[number];

export type Second = {
  /** The time in seconds since 1970. */
  at: number;
  total: number;
  /** The counts in the order of `tones`. */
  counts: readonly number[];
  /** Whether the tail was connected: only then does a missing bar mean that nothing matched. */
  watched: boolean;
};

export const SECONDS_MAX = 300;

/** The tone of a severity; emerg, alert and crit look alike. */
export function toneOf(severity: number | null): Tone {
  if (severity === null) return 'none';
  return tones[Math.max(0, severity - 2)] ?? 'none';
}

/** The tone of a severity by its name. */
export function toneNamed(severity: string): Tone {
  const code = severities.indexOf(severity);
  return toneOf(code === -1 ? null : code);
}

const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];

type Slot = { at: number; counts: number[]; watched: boolean };

export class Rates {
  private readonly slots = new Map<number, Slot>();
  /** The counts since the last `settle`, which scales them. */
  private unsettled: { at: number; tone: number }[] = [];

  /** Counts a message from the moment `atMs`; a moment in the future counts as now. */
  add(atMs: number, tone: Tone, nowMs: number): void {
    const at = secondOf(Math.min(atMs, nowMs));
    if (at <= secondOf(nowMs) - SECONDS_MAX) return;
    const index = tones.indexOf(tone);
    this.count(at, index, 1);
    this.unsettled.push({ at, tone: index });
  }

  /** Scales the counts since the last call: of `matched` messages, only `shown` were sent. */
  settle(shown: number, matched: number): void {
    const others = shown > 0 ? matched / shown - 1 : 0;
    if (others > 0) for (const { at, tone } of this.unsettled) this.count(at, tone, others);
    this.unsettled = [];
  }

  /** Adds the seconds before `untilMs` from another source. */
  fill(seconds: readonly Second[], untilMs: number): void {
    for (const { at, counts, watched } of seconds) {
      if (at < secondOf(untilMs)) this.slots.set(at, { at, counts: [...counts], watched });
    }
  }

  watch(nowMs: number): void {
    this.slot(secondOf(nowMs)).watched = true;
  }

  /** The last seconds, ending with the current one. */
  seconds(nowMs: number): Second[] {
    const first = secondOf(nowMs) - SECONDS_MAX + 1;
    for (const at of this.slots.keys()) if (at < first) this.slots.delete(at);
    return Array.from({ length: SECONDS_MAX }, (_, index) => {
      const slot = this.slots.get(first + index) ?? emptySlot(first + index);
      const counts = slot.counts.map(Math.round);
      const total = Math.round(slot.counts.reduce((sum, count) => sum + count, 0));
      return { at: slot.at, total, counts, watched: slot.watched };
    });
  }

  private count(at: number, tone: number, amount: number): void {
    const { counts } = this.slot(at);
    counts[tone] = (counts[tone] ?? 0) + amount;
  }

  private slot(at: number): Slot {
    const known = this.slots.get(at);
    if (known !== undefined) return known;
    const slot = emptySlot(at);
    this.slots.set(at, slot);
    return slot;
  }
}

function emptySlot(at: number): Slot {
  return { at, counts: tones.map(() => 0), watched: false };
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
