/** Estimates for all messages from the figures of a sample. Pure. */
import type { Outcome, TestReport, Volume } from './wire';

/** The number of significant digits of an estimate. */
const DIGITS = 3;

export function isEstimate({ sampled, complete, messages }: TestReport): boolean {
  return sampled && !complete && messages > 0;
}

/** The report with estimated counts for all messages; an exact report is returned unchanged. */
export function estimated(report: TestReport): TestReport {
  if (!isEstimate(report)) return report;
  const factor = Math.max(1, report.total / report.messages);
  const of = (count: number) => rounded(count * factor);
  const each = (counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, of(count)]));
  const volume = ({ messages, bytes }: Volume): Volume => ({
    messages: of(messages),
    bytes: bytes * factor,
  });
  const outcome = (cell: Outcome): Outcome => ({
    ...cell,
    count: of(cell.count),
    changed: cell.changed === cell.count ? of(cell.count) : of(cell.changed),
    differs: each(cell.differs),
    taken: { before: each(cell.taken.before), after: each(cell.taken.after) },
    steps: cell.steps.map((step) => ({ ...step, changed: of(step.changed) })),
  });
  return {
    ...report,
    changed: of(report.changed),
    matrix: report.matrix.map(outcome),
    routes: report.routes.map((route) => ({
      ...route,
      before: of(route.before),
      after: of(route.after),
      steps: route.steps.map((step) => ({
        ...step,
        messages: of(step.messages),
        changed: of(step.changed),
        dropped: of(step.dropped),
        failed: of(step.failed),
      })),
    })),
    targets: report.targets.map((target) => ({
      ...target,
      before: volume(target.before),
      after: volume(target.after),
    })),
    parse_failures: {
      before: of(report.parse_failures.before),
      after: of(report.parse_failures.after),
    },
  };
}

/** Rounds `1 134 210` to `1 130 000`. */
function rounded(count: number): number {
  return Math.round(Number(count.toPrecision(DIGITS)));
}

/** `± 0.2 %` */
export function marginText(margin: number): string {
  const percent = 100 * margin;
  if (percent < 0.1) return '± 0.1 %';
  return `± ${percent < 10 ? percent.toFixed(1) : String(Math.round(percent))} %`;
}
