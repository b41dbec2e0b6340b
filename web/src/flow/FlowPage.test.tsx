import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Ledger, ProblemDetail } from '../api/model';
import { renderPart } from '../test-render';
import type { TimeRange } from '../ui/range';
import { OpenContext } from '../ui/open';
import { FlowPage } from './FlowPage';
import { destination, ledger, row } from './sample';

const range: TimeRange = { kind: 'last', span: '15m' };

/** The mocked server. The client picks up `fetch` when it is loaded. */
const server = vi.hoisted(() => {
  const stub = vi.fn<(input: Request | string) => Promise<Response>>();
  vi.stubGlobal('fetch', stub);
  return stub;
});

/** Sets up the answers of the server: the ledger or a problem, and the query of a source. */
function setUp(answer: Ledger | ProblemDetail, isThere = true) {
  server.mockReset();
  server.mockImplementation((request) => {
    if (typeof request === 'string')
      return isThere ? Promise.resolve(new Response('ready')) : Promise.reject(new TypeError());
    const { url } = request;
    const isFlow = url.includes('/api/v1/flow?');
    const status = 'status' in answer ? answer.status : 200;
    return Promise.resolve(
      isFlow ? Response.json(answer, { status }) : Response.json({ query: 'source=syslog' }),
    );
  });
  const onOpen = vi.fn<(href: string) => void>();
  renderPart(
    <OpenContext value={onOpen}>
      <FlowPage range={range} onRange={vi.fn()} />
    </OpenContext>,
  );
  return { onOpen };
}

const flow = ledger(
  [
    row('syslog', {
      received: 1_500,
      stored: 1_000,
      stored_in: { main: 1_000 },
      forwarded: 400,
      forwarded_to: { siem: 400 },
      dropped: { no_route: 100 },
      lost_before: { socket_buffer_full: 7 },
    }),
  ],
  [
    destination('siem', {
      waiting_before: 5,
      queued: 400,
      delivered: 402,
      quarantined: 1,
      waiting: 2,
    }),
  ],
);

test('what adds up is quiet, and every number leads to what is behind it', async () => {
  const { onOpen } = setUp(flow);
  expect(await screen.findByText('Balanced')).toBeVisible();
  const sources = within(screen.getByRole('region', { name: 'Sources' }));
  const stored = await sources.findByRole('link', { name: /^1.000 of syslog stored$/ });
  expect(stored).toHaveAttribute('href', '/search?q=source%3Dsyslog&from=-15m');
  expect(sources.getByRole('link', { name: 'main' })).toHaveAttribute(
    'href',
    '/search?q=source%3Dsyslog&logspace=main&from=-15m',
  );
  expect(sources.getByText('balanced')).toBeVisible();
  const destinations = within(screen.getByRole('region', { name: 'Destinations' }));
  expect(destinations.getByRole('link', { name: '2 waiting for siem' })).toHaveAttribute(
    'href',
    '/router?view=list&queue=siem',
  );
  await userEvent.click(destinations.getByRole('link', { name: '1 refused by siem' }));
  expect(onOpen).toHaveBeenCalledWith('/router?view=list&quarantine=siem');
});

test('messages that balance are not all where bytes are in none', async () => {
  const skipped = { out_of_step: 524_288, too_long: 1024 };
  setUp(ledger([row('syslog', { received: 1, stored: 1, skipped_bytes: skipped })]));
  expect(await screen.findByText('513.0 KiB in no message')).toBeVisible();
  expect(screen.queryByText('Balanced')).not.toBeInTheDocument();
  const sources = within(screen.getByRole('region', { name: 'Sources' }));
  expect(sources.getByRole('link', { name: '513.0 KiB' })).toHaveAttribute('href', '/senders');
  expect(sources.getByText('512.0 KiB not understood')).toBeVisible();
  expect(sources.getByText('1.0 KiB cut from long messages')).toBeVisible();
});

test('bytes alone are something that came in', async () => {
  setUp(ledger([row('syslog', { skipped_bytes: { out_of_step: 10 } })]));
  expect(await screen.findByText('10 B in no message')).toBeVisible();
});

test('what does not add up is loud', async () => {
  setUp(ledger([row('syslog', { received: 3, stored: 1, stored_in: { main: 1 }, remainder: 2 })]));
  expect(await screen.findByRole('alert')).toHaveTextContent('2 not accounted for');
  expect(screen.queryByText('Balanced')).not.toBeInTheDocument();
});

test('a time in which nothing came in says what to do', async () => {
  setUp(ledger([row('syslog', {})]));
  expect(await screen.findByRole('heading', { name: /Nothing was received/ })).toBeVisible();
});

test('a failure can be tried again', async () => {
  setUp({ title: 'Bad request', status: 400, detail: 'the range ends before it begins' });
  expect(await screen.findByRole('alert')).toHaveTextContent('The range ends before it begins');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(server.mock.calls.filter(([request]) => request instanceof Request)).toHaveLength(2);
});

test('nothing is balanced of which the server says nothing any more', async () => {
  setUp(flow, false);
  expect(
    await screen.findByText(/^Not known since .*: the server cannot be reached/),
  ).toBeVisible();
  expect(screen.queryByText(/balanced/i)).not.toBeInTheDocument();
});

test('who may not see the flow is told whom to ask, and nothing else', async () => {
  setUp({ title: 'Forbidden', status: 403, detail: 'An administrator can grant all of it.' });
  expect(await screen.findByRole('heading', { name: 'Not known to you' })).toBeVisible();
  expect(screen.getByText(/an administrator/i)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument();
});
