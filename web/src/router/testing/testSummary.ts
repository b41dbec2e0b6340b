/** The result of a test, in a few words for the draft bar. Pure. */
import { estimated } from './estimate';
import { findingsOf } from './findings';
import { matrixOf } from './outcome';
import { type Testing, isNarrow, messagesText } from './useTesting';

/** The summary; null while nothing is known. */
export function testSummary(
  testing: Pick<Testing, 'report' | 'tested' | 'isRunning'>,
): { text: string; isGood: boolean } | null {
  const { tested, isRunning } = testing;
  if (testing.report === null || tested === null) return null;
  const report = estimated(testing.report);
  if (report.messages === 0) return null;
  const findings = findingsOf(
    report,
    matrixOf(report.matrix, tested),
    tested,
    isNarrow(tested.messages),
  ).length;
  const found =
    findings === 0 ? 'no findings' : findings === 1 ? '1 finding' : `${findings} findings`;
  const on = messagesText(tested.messages);
  // A long query does not fit into the bar.
  const where = on.length > 24 ? 'a search' : on;
  return {
    text: `${isRunning ? 'Testing' : 'Tested'} on ${where}, ${found}`,
    isGood: findings === 0,
  };
}
