import { expect, test } from 'vitest';
import { liveSince } from './PageHead';

const applied = '2026-11-25T06:27:30Z';

test('a revision is live since it was applied', () => {
  const moment = '2026-11-25T06:27:31Z';
  expect(liveSince(moment, applied)).toEqual({ applied, restarted: undefined });
});

test('a restart does not make it younger', () => {
  const restarted = '2026-11-25T06:34:01Z';
  expect(liveSince(restarted, applied)).toEqual({ applied, restarted });
});

test('nothing is said before the times are known', () => {
  expect(liveSince(undefined, undefined)).toEqual({ applied: undefined, restarted: undefined });
  expect(liveSince(applied, undefined)).toEqual({ applied, restarted: undefined });
});
