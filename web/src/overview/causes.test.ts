import { describe, expect, it } from 'vitest';
import type { Ledger, RouterStatus, Senders } from '../api/model';
import { causesOf, headlineOf, wordOf } from './causes';

const now = Date.parse('2026-11-22T12:00:00Z');
const status = {
  sources: [{ id: 'syslog', listeners: [{ url: 'tcp://:514', state: 'listening' }] }],
  logspaces: [{ id: 'main', state: 'ok' }],
  destinations: [],
} as unknown as RouterStatus;
const flow = { total: { remainder: 0, skipped_bytes: {} }, rows: [] } as unknown as Ledger;
const senders = { senders: [] } as unknown as Senders;

describe('what needs a look', () => {
  it('is nothing where all is well', () => {
    const causes = causesOf(status, flow, senders, now);
    expect(causes).toEqual([]);
    expect(headlineOf(causes, flow)).toBe('All is well. Every message is accounted for.');
    expect(wordOf(causes)).toBe('All is well');
  });

  it('begins with what is down, says since when and what waits', () => {
    const down = {
      ...status,
      destinations: [
        {
          id: 'siem',
          state: 'retrying',
          last_error: 'connection refused',
          failing_since: '2026-11-22T10:00:00Z',
          queue_messages: 3,
        },
      ],
    } as unknown as RouterStatus;
    const quiet = {
      senders: [
        { host: 'fw-1', source: 'syslog', silent: true, quiet_seconds: 3600 },
        {
          host: 'edge',
          source: 'syslog',
          silent: false,
          zone: { guess: '+02:00', messages: 20, of: 20 },
        },
      ],
    } as unknown as Senders;
    const causes = causesOf(down, flow, quiet, now);
    expect(causes.map(({ who, what }) => `${who} ${what}`)).toEqual([
      'siem does not take messages: connection refused',
      '1 sender is silent against its habit',
      'edge seems to write times of UTC+02:00',
    ]);
    expect(causes[0]?.effect).toBe('3 messages wait, for 2 h');
    expect(causes[2]?.href).toBe('/senders?source=syslog&host=edge');
    expect(headlineOf(causes, flow)).toBe(
      '3 things need attention. Every message is accounted for.',
    );
    expect(wordOf(causes)).toBe('3 troubles');
    expect(wordOf(causes.slice(0, 1))).toBe('1 trouble');
    expect(wordOf(causes.slice(1))).toBe('2 to look at');
    // While the rest is loading, or for users who cannot read it.
    expect(causesOf(down, undefined, undefined, now)).toEqual(causes.slice(0, 1));
  });

  it('has what a destination refused, however well that does otherwise', () => {
    const refusing = {
      ...status,
      destinations: [
        { id: 'opensearch', state: 'ok', queue_messages: 0, quarantined: 1416 },
        { id: 'siem', state: 'ok', queue_messages: 0, quarantined: 0 },
      ],
    } as unknown as RouterStatus;
    const causes = causesOf(refusing, flow, senders, now);
    expect(causes.map(({ who, what }) => `${who} ${what}`)).toEqual([
      'opensearch refused 1\u202f416 messages',
    ]);
    expect(causes[0]?.href).toBe('/router?view=list&quarantine=opensearch');
    expect(wordOf(causes)).toBe('1 to look at');
  });

  it('has what the server itself says against it', () => {
    const reasons = 'the disk is nearly full: 1 MiB is free';
    const causes = causesOf(status, flow, senders, now, { state: 'not-ready', reasons });
    expect(causes.map(({ what }) => what)).toEqual([`is not ready: ${reasons}`]);
    expect(headlineOf(causes, flow)).toMatch(/^One thing needs attention/);
  });

  it('says what no message holds, and whose it is, although every message is accounted for', () => {
    const bytes = { out_of_step: 524_288, too_long: 2048 };
    const row = { source: 'syslog', skipped_bytes: bytes };
    const skipping = {
      from: '2026-11-21T12:00:00Z',
      total: { remainder: 0, skipped_bytes: bytes },
      rows: [row],
    } as unknown as Ledger;
    const one = {
      source: 'syslog',
      host: '10.0.0.7',
      reasons: { out_of_step: 524_288 },
      last_seen: '2026-11-22T11:00:00Z',
    };
    const from = (...skipped: (typeof one)[]) => ({ senders: [], skipped }) as unknown as Senders;
    const causes = causesOf(status, skipping, from(one), now);
    expect(causes.map(({ who, what }) => `${who} ${what}`)).toEqual([
      '10.0.0.7 sent 512.0 KiB that could not be understood',
      'syslog cut 2.0 KiB from messages that are too long',
    ]);
    expect(causes[0]?.href).toBe('/senders?source=syslog&host=10.0.0.7');
    expect(headlineOf(causes, skipping)).toBe(
      '2 things need attention. 512.0 KiB are in no message.',
    );
    const [two] = causesOf(status, skipping, from(one, { ...one, host: '10.0.0.8' }), now);
    expect(two).toMatchObject({ who: '2 senders', effect: '10.0.0.7, 10.0.0.8', href: '/senders' });
    // If the senders are unknown, at least the source is known.
    expect(causesOf(status, skipping, undefined, now)[0]?.who).toBe('syslog');
  });

  it('names a ledger that does not add up', () => {
    const wrong = { ...flow, total: { ...flow.total, remainder: -2 } };
    const causes = causesOf(status, wrong, senders, now);
    expect(causes[0]?.what).toBe('does not add up by 2 messages');
    expect(headlineOf(causes, wrong)).toBe('One thing needs attention. Messages are missing.');
  });
});
