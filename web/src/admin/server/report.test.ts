import { expect, test } from 'vitest';
import { fileName, sectionsOf } from './report';

test('a report is cut at its headings', () => {
  const text = 'Logstead support report\n\n=== About ===\nversion\n\n=== Metrics ===\na == b ===\n';
  expect(sectionsOf(text)).toEqual([
    { title: 'What it is', body: 'Logstead support report' },
    { title: 'About', body: 'version' },
    { title: 'Metrics', body: 'a == b ===' },
  ]);
});

test('a file has the time in its name, without colons', () => {
  expect(fileName(new Date('2026-01-02T03:04:05.678Z'))).toBe(
    'logstead-support-2026-01-02T03-04-05.txt',
  );
});
