/** A test as text to keep, to send to somebody or to attach to a change request. Pure. */
import { formatBytes, formatCount } from '../../ui/number';
import { estimated, isEstimate, marginText } from './estimate';
import { type Finding, findingsOf } from './findings';
import { type Cell, cellNote, matrixOf } from './outcome';
import { type TestedDraft, isNarrow, messagesText } from './useTesting';
import { changeText, dailyVolumes, daysOf, diskChange, diskText } from './volumes';
import type { LogspaceStatus } from '../../api/model';
import type { TestReport } from './wire';

export type Reported = {
  tested: TestedDraft;
  report: TestReport;
  /** The changes of the draft, in words. */
  changes: readonly string[];
  logspaces: readonly LogspaceStatus[];
};

export function reportName({ tested }: Reported, ending: 'md' | 'json'): string {
  const at = tested.at.slice(0, 19).replaceAll(/[:T]/g, '-');
  return `test-of-draft-${tested.baseRevision}-${at}.${ending}`;
}

export function reportMarkdown(reported: Reported): string {
  const { tested, changes, logspaces } = reported;
  const report = estimated(reported.report);
  const matrix = matrixOf(report.matrix, tested);
  const cells = [...matrix.cells.values()].flatMap((row) => [...row.values()]);
  const findings = findingsOf(report, matrix, tested, isNarrow(tested.messages));
  const days = daysOf(report, tested);
  const change = diskChange(report.targets, days, logspaces);
  const { totals } = matrix;
  return [
    '# Test of a router draft on history',
    '',
    `- Tested at: ${tested.at}`,
    `- Live: revision ${tested.liveRevision}`,
    `- Draft: based on revision ${tested.baseRevision}`,
    ...changes.map((one) => `  - ${one}`),
    `- Messages: ${messagesText(tested.messages)}`,
    ...(tested.messages.logspaces.length > 0
      ? [`- Only in the logspaces: ${tested.messages.logspaces.join(', ')}`]
      : []),
    ...(report.range === undefined ? [] : [`- From ${report.range.from} to ${report.range.to}`]),
    `- Tried: ${triedText(reported.report)}`,
    '',
    `Would change: ${formatCount(totals.fields + totals.gained + totals.other + totals.lost)}. ` +
      `Other fields: ${formatCount(totals.fields)}, gained by a target: ${formatCount(totals.gained)}, ` +
      `other outcome: ${formatCount(totals.other)}, lost to a target: ${formatCount(totals.lost)}. ` +
      `Parse failures: ${formatCount(report.parse_failures.before)} now, ${formatCount(report.parse_failures.after)} with the draft.`,
    '',
    '## Findings',
    '',
    ...(findings.length === 0 ? ['None.'] : findings.map(findingLine)),
    '',
    '## Outcomes',
    '',
    ...table(
      ['Now', 'Draft', 'Messages', 'Of them changed', 'What', 'Why'],
      cells.map((cell) => [
        cell.row,
        cell.column,
        formatCount(cell.count),
        formatCount(cell.changed),
        kindTexts[cell.kind],
        cellNote(cell, tested),
      ]),
    ),
    '',
    '## Volume per target',
    '',
    ...table(
      [
        'Target',
        'Now',
        'Draft',
        ...(days === null ? ['Bytes now', 'Bytes draft'] : ['Now a day', 'Draft a day']),
        'Change',
      ],
      dailyVolumes(report.targets, days).map(({ name, before, after, beforeBytes, afterBytes }) => [
        name,
        formatCount(before),
        formatCount(after),
        formatBytes(beforeBytes),
        formatBytes(afterBytes),
        changeText(beforeBytes, afterBytes),
      ]),
    ),
    ...(change === null || diskText(change) === '' ? [] : ['', `The draft ${diskText(change)}.`]),
    ...(report.problems.length === 0 ? [] : ['', '## Notes', '']),
    ...report.problems.map((problem) => `- ${problem}`),
    '',
  ].join('\n');
}

/** The report for programs: the figures from the server, and the tested draft and messages. */
export function reportJson({ tested, report, changes }: Reported): string {
  const { messages, at, liveRevision, baseRevision } = tested;
  const figures = estimated(report);
  const findings = findingsOf(
    figures,
    matrixOf(figures.matrix, tested),
    tested,
    isNarrow(messages),
  ).map(({ tone, title, text, messages: count }) => ({ tone, title, text, messages: count }));
  const draft = { base_revision: baseRevision, changes };
  const about = { tested_at: at, live_revision: liveRevision, draft, messages };
  return `${JSON.stringify({ ...about, findings, report }, null, 2)}\n`;
}

function triedText(report: TestReport): string {
  const { messages, total, complete, margin } = report;
  if (complete) return `${formatCount(messages)} messages, which is all of them`;
  return isEstimate(report)
    ? `a sample of ${formatCount(messages)} of ${formatCount(total)} messages, so figures are estimates (${marginText(margin)})`
    : `${formatCount(messages)} of ${formatCount(total)} messages, then it was stopped`;
}

function findingLine({ tone, title, text, fix }: Finding): string {
  const way = fix === null ? '' : ` Way out: ${fix.label}.`;
  return `- ${tone === 'error' ? '**Serious.** ' : ''}${title} ${text}${way}`;
}

const kindTexts: Readonly<Record<Cell['kind'], string>> = {
  same: 'unchanged',
  fields: 'other fields',
  gained: 'gained',
  other: 'other outcome',
  lost: 'lost',
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
