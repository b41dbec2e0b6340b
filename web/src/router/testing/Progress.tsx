/** The progress of a test: from a sample, or from every message. */
import { formatCount } from '../../ui/number';
import { formatLength } from '../../ui/time';
import { isEstimate } from './estimate';
import type { Testing } from './useTesting';
import type { TestReport } from './wire';
import classes from './Controls.module.css';

/** A shorter test needs no progress bar. */
const SHOWN_MS = 100;

export function Progress({ testing }: { testing: Testing }) {
  const { report, isRunning, isOld, secondsLeft } = testing;
  const fraction = isOld ? 0 : (report?.fraction ?? 0);
  const { state, detail } =
    report === null || isOld
      ? { state: 'Looking for messages', detail: '' }
      : progressText(report, isRunning, secondsLeft);
  return (
    <div className={classes.progress}>
      <div className={classes.progressText}>
        {/* Told only when it changes, which figures do all the time. */}
        <b role="status">{state}</b>
        <span>{detail}</span>
      </div>
      <span
        className={classes.meter}
        role="progressbar"
        aria-label="Messages tried"
        aria-valuenow={Math.floor(100 * fraction)}
      >
        <span style={{ width: `${100 * fraction}%` }} />
      </span>
    </div>
  );
}

export function progressText(
  report: TestReport,
  isRunning: boolean,
  secondsLeft: number | null,
): { state: string; detail: string } {
  const { messages, total, fraction, complete, took_ms } = report;
  if (complete) {
    const tried = messages === 1 ? 'The message was tried' : 'Every message was tried';
    return {
      state: messages === 0 ? 'No message to try' : tried,
      detail: formatCount(messages) + (took_ms < SHOWN_MS ? '' : ` in ${formatLength(took_ms)}`),
    };
  }
  const left = secondsLeft === null ? '' : `, exact in ${secondsLeft} s`;
  if (isEstimate(report)) {
    return {
      state: `${isRunning ? '' : 'Stopped: '}${isRunning ? 'Sample' : 'sample'} of ${formatCount(messages)}`,
      detail: `of ${formatCount(total)}${isRunning ? left : ''}`,
    };
  }
  const percent = Math.floor(100 * fraction);
  return {
    state: isRunning ? 'Trying every message' : `Stopped at ${percent} %`,
    detail: `${formatCount(messages)} of ${formatCount(total)}${isRunning ? left : ''}`,
  };
}
