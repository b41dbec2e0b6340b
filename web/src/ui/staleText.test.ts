import { expect, test } from 'vitest';
import { staleText } from './staleText';

const since = Date.parse('2026-11-22T14:03:22.480Z');

test('what is not known says since when, and why', () => {
  const check = (unknown: Parameters<typeof staleText>[0], text: string) =>
    expect(staleText(unknown, 'utc')).toBe(text);
  check({ since, why: 'away' }, 'Not known since 14:03:22: the server cannot be reached.');
  check({ since, why: 'silent' }, 'Not known since 14:03:22: the server does not answer.');
  check({ since: null, why: 'failed' }, 'Not known: the server failed to say.');
  check({ since: null, why: 'refused' }, 'Not known to you: this needs access to all logspaces.');
  check({ since: null, why: 'asking' }, 'Checking…');
});
