import { expect, test } from 'vitest';
import type { Job } from '../../api/jobs';
import type { Work } from '../../api/logspaces';
import { checkOf, progressText, reindexingOf, workOf } from './checks';

const progress = { unit: 'bytes', done: 0, total: null, messages: 0 } as const;

function job(part: Partial<Job>): Job {
  return {
    id: 'a',
    kind: 'verify',
    logspaces: ['main'],
    state: 'done',
    result: null,
    problem: null,
    finished_at: '2026-11-21T06:13:00Z',
    progress,
    ...part,
  } as Job;
}

const verified = { kind: 'verify', intact: true } as Job['result'];
const reindexed = { kind: 'reindex', complete: true } as Job['result'];

test('the newest check of a logspace counts, and its state', () => {
  const check = (parts: Partial<Job>[], work: Work | null = null) =>
    checkOf(parts.map(job), work, 'main').kind;
  expect(check([])).toBe('none');
  expect(check([{ logspaces: ['other'], result: verified }])).toBe('none');
  expect(check([{ kind: 'reindex', result: reindexed }])).toBe('none');
  expect(check([{ result: verified }, { state: 'failed' }])).toBe('done');
  expect(check([{ state: 'cancelled' }, { result: verified }])).toBe('ended');
  expect(check([{ state: 'queued' }, { result: verified }])).toBe('waiting');
  expect(check([{ state: 'cancelling' }])).toBe('running');
  expect(check([], { job: 'b', logspace: 'main', kind: 'verify', progress })).toBe('running');
  expect(check([], { job: 'b', logspace: 'other', kind: 'verify', progress })).toBe('none');
});

test('a check that ended early says why', () => {
  const why = (part: Partial<Job>) => {
    const check = checkOf([job(part)], null, 'main');
    return check.kind === 'ended' ? check.why : check.kind;
  };
  expect(why({ state: 'failed', problem: { detail: 'a panic' } as Job['problem'] })).toBe(
    'a panic',
  );
  expect(why({ state: 'interrupted' })).toMatch(/^The server stopped/);
  expect(why({ state: 'cancelled' })).toMatch(/^It was cancelled/);
});

test('rebuilt indexes are reported until something else is done to the logspace', () => {
  const last = job({ kind: 'reindex', result: reindexed });
  expect(reindexingOf([last, job({ result: verified })], 'main')).toEqual(reindexed);
  expect(reindexingOf([job({ result: verified }), last], 'main')).toBeNull();
  expect(reindexingOf([job({ ...last, state: 'cancelled' })], 'main')).toBeNull();
});

test('the work on a logspace is that of the own job, or of somebody else', () => {
  const work: Work = { job: 'b', logspace: 'main', kind: 'reindex', progress };
  expect(workOf([job({})], null, 'main')).toBeNull();
  expect(workOf([job({})], work, 'main')).toEqual({ work, job: null });
  expect(workOf([job({})], work, 'other')).toBeNull();
  const own = job({ state: 'running' });
  expect(workOf([job({ state: 'queued' }), own], work, 'main')?.job).toBe(own);
});

test.each([
  [{ unit: 'bytes', done: 1024, total: null, messages: 0 }, ''],
  [{ unit: 'bytes', done: 1024, total: 4096, messages: 0 }, '1 of 4 KiB'],
  [{ unit: 'segments', done: 3, total: 1200, messages: 0 }, '3 of 1\u202f200 segments'],
] as const)('%j is %s', (told, text) => {
  expect(progressText(told)).toBe(text);
});
