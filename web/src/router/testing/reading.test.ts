import { expect, test } from 'vitest';
import { readDocument } from '../document';
import { estimated, marginText } from './estimate';
import { progressText } from './Controls';
import { reportJson, reportMarkdown, reportName } from './reportText';
import { secondsLeft } from './run';
import { type TestedDraft, messagesText, requestOf, withSaved } from './useTesting';
import { daysOf, diskChange, diskText, stretchText } from './volumes';
import type { TestReport } from './wire';

const report: TestReport = {
  ...{ messages: 100, total: 1_000, complete: false, sampled: true, margin: 0.0021, fraction: 0.2 },
  ...{ took_ms: 2_000, changed: 33, routes: [], problems: ['a note'] },
  range: { from: '2026-11-24T00:00:00Z', to: '2026-11-24T06:00:00Z' },
  matrix: [
    {
      ...{ before: ['logspace:main'], after: ['logspace:main'], count: 100, changed: 33 },
      ...{ differs: { message: 33 }, taken: { before: { a: 100 }, after: { a: 100 } } },
      ...{ steps: [{ route: 'a', step: 1, kind: 'mask', changed: 33 }], examples: [] },
    },
  ],
  targets: [
    {
      target: 'logspace:main',
      before: { messages: 100, bytes: 20_000 },
      after: { messages: 100, bytes: 15_000 },
    },
  ],
  parse_failures: { before: 0, after: 0 },
};
const exact = { ...report, sampled: false, complete: true, fraction: 1, total: 100 };

test('a sample is told as an estimate of all, and what is exact as it is', () => {
  const told = estimated(report);
  expect(told.matrix[0]).toMatchObject({ count: 1_000, changed: 330, differs: { message: 330 } });
  expect(told.matrix[0]?.taken.after).toEqual({ a: 1_000 });
  expect(told.targets[0]?.before).toEqual({ messages: 1_000, bytes: 200_000 });
  expect(estimated(exact)).toBe(exact);
  expect(estimated({ ...report, messages: 7, total: 11_347 }).matrix[0]?.count).toBe(162_000);
  expect([0, 0.002, 0.034, 0.5].map(marginText)).toEqual([
    ...['± 0.1 %', '± 0.2 %', '± 3.4 %', '± 50 %'],
  ]);
});

test('how far a test is, in words', () => {
  expect(progressText(report, true, 8)).toEqual({
    state: 'Sample of 100',
    detail: 'of 1\u202f000, exact in 8 s',
  });
  expect(progressText(report, false, null).state).toBe('Stopped: sample of 100');
  const plain = { ...report, sampled: false };
  expect(progressText(plain, false, null).state).toBe('Stopped at 20 %');
  expect(progressText(exact, false, null).state).toBe('Every message was tried');
  expect(secondsLeft({ ...report, fraction: 0, took_ms: 1_000 }, report)).toBe(4);
  expect(secondsLeft(report, report)).toBeNull();
});

test('an hour is an hour, also where the clock of a host is ahead', () => {
  const at = '2026-11-22T12:00:00Z';
  const came = { from: '2026-11-22T11:00:00Z', to: '2026-11-22T14:00:00Z' };
  const hour = { at, messages: { range: { kind: 'last', span: '1h' } as const } };
  expect(daysOf({ range: came }, hour)).toBe(1 / 24);
  const all = { at, messages: { range: { kind: 'all' } as const } };
  expect(daysOf({ range: { ...came, from: '2026-11-22T00:00:00Z' } }, all)).toBe(0.5);
});

test('what targets get a day, and what that takes of the disk', () => {
  const days = daysOf(report, null);
  expect(days).toBe(0.25);
  expect(stretchText(0.25)).toBe('in 6 hours');
  expect(daysOf({}, null)).toBeNull();
  const stored = { id: 'main', messages: 10, stored_bytes: 500 };
  // For every 200 bytes of messages, 50 bytes are stored on the disk.
  const change = diskChange(report.targets, days, [stored as never]);
  expect(change).toBe(-5_000);
  expect(diskText(change ?? 0)).toBe('saves 4.9 KiB of disk a day');
  expect(diskText(2_048)).toBe('adds 2.0 KiB of disk a day');
  expect(diskChange(report.targets, days, [])).toBeNull();
});

const document = readDocument({ logspaces: [{ id: 'main' }], routes: [{ id: 'a', to: ['main'] }] });
const tested: TestedDraft = {
  ...{ liveRevision: 14, baseRevision: 14, at: '2026-11-24T10:00:00.000Z' },
  ...{ content: { kind: 'document', document }, draft: document, live: document },
  messages: {
    ...{ range: { kind: 'last', span: '12h' }, query: 'host=a|b', logspaces: [], saved: null },
    ...{ pasted: null, source: 'syslog' },
  },
};

test('the report has what was tried, what came of it, and how exact that is', () => {
  const reported = { tested, report, changes: ['route `a`: mask is added'], logspaces: [] };
  const text = reportMarkdown(reported);
  for (const part of [
    '- Live: revision 14',
    '  - route `a`: mask is added',
    '- Messages: host=a|b in the last 12 hours',
    'a sample of 100 of 1\u202f000 messages, so figures are estimates (± 0.2 %)',
    '| main | main | 1\u202f000 | 330 | other fields | 33 % changed |',
    '| main | 1\u202f000 | 1\u202f000 | 781.3 KiB | 585.9 KiB | −25 % |',
    '- a note',
  ])
    expect(text).toContain(part);
  expect(JSON.parse(reportJson(reported))).toMatchObject({
    live_revision: 14,
    draft: { base_revision: 14, changes: ['route `a`: mask is added'] },
    findings: [],
    report: { messages: 100 },
  });
  expect(reportName(reported, 'md')).toBe('test-of-draft-14-2026-11-24-10-00-00.md');
});

test('a saved search brings its range, its logspaces and the messages behind its table', () => {
  const saved = {
    ...{ id: 1, name: 'Errors', folder: '', tags: [], shared: false, owner: 'ann', mine: true },
    ...{ query: 'severity>=err | stats count() by host', from: '-24h', to: null, view: null },
    ...{ logspaces: ['main'], created_at: '', updated_at: '', last_used: null },
  };
  const messages = withSaved(tested.messages, saved);
  expect(messages).toMatchObject({
    query: 'severity>=err',
    range: { kind: 'last', span: '24h' },
    saved: { name: 'Errors', hasStages: true },
  });
  expect(requestOf(tested.content, messages)).toMatchObject({
    ...{ query: 'severity>=err', from: '-24h', logspaces: ['main'] },
  });
  expect(withSaved(tested.messages, { ...saved, from: null }).range).toBe(tested.messages.range);
  expect(messagesText({ ...messages, pasted: 'a\n\nb' })).toBe('2 pasted messages');
});
