import { expect, test } from 'vitest';
import type { RouterStatus } from './model';
import { ingestRate, listeningUrls, samplesOf, troubleHeadline, troublesOf } from './status';

const source = {
  id: 'syslog',
  listeners: [
    { url: 'tcp://0.0.0.0:514', state: 'listening' },
    { url: 'udp://0.0.0.0:514', state: 'address in use' },
  ],
  messages_per_second: 12,
  last_error: 'a sender went away',
};
const status = {
  sources: [source, { ...source, id: 'http', listeners: [], last_error: null }],
  logspaces: [
    { id: 'main', state: 'failing', last_error: 'disk is full', sealing_error: null },
    { id: 'other', state: 'ok', last_error: null, sealing_error: 'no space' },
  ],
  destinations: [{ id: 'mirror', state: 'ok', last_error: 'refused' }],
} as unknown as RouterStatus;

test('what goes on comes first, and nothing that went wrong is left out', () => {
  expect(troublesOf(status)).toEqual([
    { who: 'source syslog', what: 'udp://0.0.0.0:514: address in use', now: true },
    { who: 'logspace main', what: 'disk is full', now: true },
    { who: 'logspace other', what: 'no space', now: true },
    { who: 'source syslog', what: 'a sender went away', now: false },
    { who: 'destination mirror', what: 'refused', now: false },
  ]);
});

test('all sources together make the rate, and only what listens can be sent to', () => {
  expect(ingestRate(status)).toBe(24);
  expect(listeningUrls(status)).toEqual(['tcp://0.0.0.0:514']);
});

test('the headline says what is down', () => {
  const trouble = (who: string, now = true) => ({ who, what: '', now });
  expect(troubleHeadline(troublesOf(status))).toBe(
    '1 source is not listening, 2 logspaces have problems',
  );
  expect(troubleHeadline([trouble('destination a'), trouble('destination a')])).toBe(
    '1 destination is down',
  );
  expect(troubleHeadline([trouble('destination a', false)])).toBe('');
});

test('the minutes before have a rate for each whole span', () => {
  const buckets = [
    { time: '2026-01-02T12:00:00Z', count: 50 },
    { time: '2026-01-02T12:00:10Z', count: 3 },
  ];
  expect(samplesOf(buckets)).toEqual([{ at: Date.parse('2026-01-02T12:00:10Z'), rate: 5 }]);
});
