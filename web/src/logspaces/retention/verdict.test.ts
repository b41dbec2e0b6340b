import { expect, test } from 'vitest';
import type { RetentionPreview } from '../../api/logspaces';
import type { Limits } from '../growth/growth';
import { verdictOf } from './verdict';

const HOUR_MS = 3_600_000;
const nothing: RetentionPreview = {
  ...{ messages: 0, bytes: 0, segments: 0, journal_files: 0, received_last: null },
  ...{ next_at: null, next_messages: 0, all_at: null },
};
const none: Limits = { ageMs: null, sizeBytes: null };
const hour: Limits = { ageMs: HOUR_MS, sizeBytes: null };
const soon: RetentionPreview = {
  ...nothing,
  ...{ next_at: '2026-11-27T15:03:10Z', next_messages: 131_072, all_at: '2026-11-27T15:40:00Z' },
};

function check(preview: RetentionPreview | undefined, wanted = hour, live = none) {
  return verdictOf({ isChanged: true, isRight: true, wanted, live, preview }, 'utc');
}

test('an age that deletes nothing yet says what goes when, and does not look well', () => {
  expect(check(soon)).toEqual({
    text:
      'Deletes nothing now. The oldest 131\u202f072 messages go at 2026-11-27 15:03, ' +
      'all that is stored now by 2026-11-27 15:40.',
    tone: 'caution',
  });
  // If messages are kept longer than now, they are removed later.
  expect(check(soon, { ...hour, ageMs: 2 * HOUR_MS }, hour).tone).toBe('quiet');
});

test('what goes now is said first', () => {
  const verdict = check({ ...soon, messages: 2, bytes: 2048 });
  expect(verdict.tone).toBe('bad');
  expect(verdict.text).toMatch(/^Deletes 2 messages, 2.0 KiB, for good. The oldest .* go at/);
});

test('only what never deletes anything looks well', () => {
  expect(check(nothing, none, hour)).toEqual({ text: 'Deletes nothing.', tone: 'good' });
  expect(check(nothing, { ageMs: null, sizeBytes: 1 }, none).tone).toBe('caution');
  expect(check(undefined).tone).toBe('quiet');
  // Nothing is stored yet.
  expect(check(nothing)).toEqual({
    text: 'Deletes nothing now. What comes goes when it is older than that.',
    tone: 'caution',
  });
});
