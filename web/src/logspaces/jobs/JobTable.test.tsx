import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Job } from '../../api/jobs';
import { renderPart } from '../../test-render';
import { JobTable } from './JobTable';

const job = (part: Partial<Job>): Job => ({
  id: 'a1',
  kind: 'verify',
  started_by: 'ana',
  logspaces: ['main'],
  state: 'running',
  progress: { unit: 'bytes', done: 1024, total: 4096, messages: 3 },
  created_at: '2026-11-21T06:13:00Z',
  started_at: '2026-11-21T06:13:00Z',
  finished_at: null,
  expires_at: null,
  result: null,
  problem: null,
  ...part,
});

afterEach(() => vi.unstubAllGlobals());

test('a job that runs says how far it is, and can be cancelled', async () => {
  const asked = vi.fn<(request: Request) => Promise<Response>>();
  asked.mockResolvedValue(Response.json(job({ state: 'cancelling' })));
  vi.stubGlobal('fetch', asked);
  renderPart(<JobTable jobs={[job({})]} />);
  const row = within(screen.getByRole('row', { name: /verify main/ }));
  expect(row.getByText('1 of 4 KiB')).toBeVisible();
  await userEvent.click(row.getByRole('button', { name: 'Cancel verify main' }));
  await waitFor(() => expect(asked).toHaveBeenCalledOnce());
  expect(asked.mock.calls[0]?.[0].url).toMatch(/\/api\/v1\/jobs\/a1\/cancel$/);
});

test('a job that has ended cannot be cancelled, and says why it failed', () => {
  const problem = { detail: 'the disk is full' } as Job['problem'];
  renderPart(<JobTable jobs={[job({ state: 'failed', problem })]} />);
  expect(screen.getByText('failed')).toHaveAttribute('title', 'the disk is full');
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

test('an export that is done can be downloaded', () => {
  const result = { kind: 'export', name: 'all.ndjson', bytes: 2048 } as Job['result'];
  renderPart(<JobTable jobs={[job({ kind: 'export', state: 'done', result })]} />);
  const link = screen.getByRole('link', { name: 'Download 2.0 KiB' });
  expect(link).toHaveAttribute('href', expect.stringMatching(/\/api\/v1\/jobs\/a1\/result$/));
  expect(link).toHaveAttribute('download', 'all.ndjson');
});

test('without jobs there is no table', () => {
  renderPart(<JobTable jobs={[]} />);
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
});
