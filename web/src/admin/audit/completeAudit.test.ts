import { expect, test } from 'vitest';
import { completeAudit } from './completeAudit';

async function offered(query: string) {
  const { signal } = new AbortController();
  const answer = await completeAudit(query, query.length, signal);
  return answer?.options.map(({ label }) => label);
}

test('fields are offered, then the actions', async () => {
  expect(await offered('')).toEqual(['action:', 'user:', 'account:']);
  expect(await offered('ana ac')).toEqual(['action:', 'account:']);
  expect(await offered('-action:session.re')).toEqual(['session.refused', 'session.revoke']);
  expect(await offered('user:a')).toEqual([]);
});
