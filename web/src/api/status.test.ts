import { expect, test } from 'vitest';
import type { RouterStatus } from './model';
import { failedListeners, ingestRate, listeningUrls, samplesOf } from './status';

const source = {
  id: 'syslog',
  listeners: [
    { url: 'tcp://0.0.0.0:514', state: 'listening' },
    { url: 'udp://0.0.0.0:514', state: 'address in use' },
  ],
  messages_per_second: 12,
};
const status = {
  sources: [source, { ...source, id: 'http', listeners: [] }],
} as unknown as RouterStatus;

test('all sources together make the rate, and only what listens can be sent to', () => {
  expect(ingestRate(status)).toBe(24);
  const unmeasured = { ...source, messages_per_second: null };
  expect(ingestRate({ ...status, sources: [...status.sources, unmeasured as never] })).toBeNull();
  expect(listeningUrls(status)).toEqual(['tcp://0.0.0.0:514']);
  expect(failedListeners(status.sources[0]?.listeners ?? []).map(({ url }) => url)).toEqual([
    'udp://0.0.0.0:514',
  ]);
});

test('the minutes before have a rate for each whole span', () => {
  const buckets = [
    { time: '2026-01-02T12:00:00Z', count: 50 },
    { time: '2026-01-02T12:00:10Z', count: 3 },
  ];
  expect(samplesOf(buckets)).toEqual([{ at: Date.parse('2026-01-02T12:00:10Z'), rate: 5 }]);
});
