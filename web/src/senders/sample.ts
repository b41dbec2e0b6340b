/** A sender for tests. */
import type { Sender } from '../api/model';

export function sampleSender(part: Partial<Sender> = {}): Sender {
  return {
    source: 'syslog',
    host: 'edge-1',
    address: '10.0.0.9',
    protocol: 'tcp',
    messages: 1000,
    bytes: 80_000,
    rate: 3,
    series: Array.from({ length: 288 }, () => 3),
    first_seen: '2026-11-01T10:00:00Z',
    last_seen: '2026-11-22T10:00:00Z',
    silent: false,
    quiet_seconds: 2,
    usual_pause_seconds: 30,
    new: false,
    unparsed: 0,
    truncated: 0,
    skipped_bytes: 0,
    skew_ms: 12,
    skewed: false,
    skew_bins: [{ from_ms: -1000, to_ms: 1000, messages: 1000 }],
    ...part,
  };
}
