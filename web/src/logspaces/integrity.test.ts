import { expect, test } from 'vitest';
import type { Verification } from '../api/jobs';
import type { LogspaceInfo } from '../api/model';
import { integrityOf } from './integrity';
import type { Check } from './jobs/checks';

const done = (part: Partial<Verification>): Check => ({
  kind: 'done',
  at: 0,
  verification: { intact: false, complete: true, problems: 0, ...part } as Verification,
});

test.each<[number, Check, string]>([
  [0, { kind: 'none' }, 'not verified'],
  [2, { kind: 'none' }, '2 damaged'],
  [0, { kind: 'running' }, 'being verified'],
  [0, { kind: 'waiting' }, 'waiting'],
  [0, { kind: 'ended', why: 'It was cancelled' }, 'not finished'],
  [0, done({ intact: true }), 'intact'],
  [2, done({ problems: 1 }), '1 problem'],
  [2, done({ problems: 3 }), '3 problems'],
  [0, done({ complete: false }), 'not finished'],
])('%d damaged parts, checked as %j', (damaged_parts, check, text) => {
  expect(integrityOf({ damaged_parts } as LogspaceInfo, check).text).toBe(text);
});
