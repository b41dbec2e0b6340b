import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '../test-render';
import { OverviewPage } from './OverviewPage';

const flow = {
  total: {
    received: 1,
    stored: 1,
    forwarded: 0,
    unacknowledged: 0,
    dropped: {},
    lost_before: {},
    skipped_bytes: {},
    remainder: 0,
  },
  rows: [],
  series: [],
  destinations: [],
};

/** The mocked server. The client picks up `fetch` when it is loaded. */
const server = vi.hoisted(() => {
  const stub = vi.fn<(input: Request | string) => Promise<Response>>();
  vi.stubGlobal('fetch', stub);
  return stub;
});

let health: () => Promise<Response>;

beforeEach(() => {
  health = () => Promise.resolve(new Response('ready'));
  server.mockReset();
  server.mockImplementation((request) => {
    if (typeof request === 'string') return health();
    if (request.url.includes('/flow')) return Promise.resolve(Response.json(flow));
    if (request.url.includes('/senders'))
      return Promise.resolve(
        Response.json({ senders: [], total: 0, skipped: [], skipped_left_out: 0 }),
      );
    return Promise.resolve(
      Response.json({
        time: '2026-11-23T10:00:00Z',
        sources: [],
        routes: [],
        logspaces: [],
        destinations: [],
        queues_left: [],
        unrouted_messages: 0,
      }),
    );
  });
});

test('where the server answers it says how all is', async () => {
  renderPart(<OverviewPage />);
  expect(await screen.findByText(/All is well/)).toBeVisible();
});

test('nothing is well of which the server says nothing any more', async () => {
  health = () => Promise.reject(new TypeError('no server'));
  renderPart(<OverviewPage />);
  expect(await screen.findByRole('heading', { name: /cannot be reached/ })).toBeVisible();
  expect(screen.queryByText(/All is well/)).not.toBeInTheDocument();
  expect(screen.queryByRole('region', { name: 'Destinations' })).not.toBeInTheDocument();
});
