/**
 * A requested search is shown once its answer has arrived, so that the page is drawn once. Pure
 * except for its timer.
 */

export type Pending<Next> = {
  /** The pending search. */
  readonly next: Next | null;
  /** Shows `next` as soon as there is an answer, or after a short time without one. */
  begin: (next: Next, answer: Promise<unknown>) => void;
  /** Drops the pending search. */
  end: () => void;
};

/**
 * The time before the page indicates that it waits: most answers are faster, and nothing should
 * flicker for them.
 */
export const SIGN_MS = 40;
/** The time after which the page shows that it has no answer yet. */
export const HOLD_MS = 120;

/**
 * `onWait` hears when the wait is one to be seen, and when it is over; `show`, whether it was given up.
 */
export function createPending<Next>(
  onWait: (isWaiting: boolean) => void,
  show: (next: Next, isLate: boolean) => void,
): Pending<Next> {
  let held: { next: Next } | null = null;
  const timers: ReturnType<typeof setTimeout>[] = [];
  const end = () => {
    timers.splice(0).forEach(clearTimeout);
    if (held === null) return;
    held = null;
    onWait(false);
  };
  return {
    get next() {
      return held?.next ?? null;
    },
    begin: (next, answer) => {
      end();
      const own = { next };
      held = own;
      const go = (isLate: boolean) => {
        // Another search, or another address, may have replaced it.
        if (held !== own) return;
        end();
        show(next, isLate);
      };
      timers.push(setTimeout(() => onWait(true), SIGN_MS));
      timers.push(setTimeout(() => go(true), HOLD_MS));
      const answered = () => go(false);
      answer.then(answered, answered);
    },
    end,
  };
}
