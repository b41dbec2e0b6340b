import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { DestinationStatus, ReplayLine } from '../../api/model';
import { renderPart } from '../../test-render';
import { DestinationFacts } from './DestinationFacts';
import { ListDialog } from './ListDialog';
import { ReplayDialog } from './ReplayDialog';
import { TestMessage } from './TestMessage';

/** The mocked server. The client picks up `fetch` when it is loaded. */
const server = vi.hoisted(() => {
  const stub = vi.fn<(input: Request | string, init?: RequestInit) => Promise<Response>>();
  vi.stubGlobal('fetch', stub);
  return stub;
});

/** The requests that were sent: path and body. */
let done: [string, unknown][] = [];

beforeEach(() => {
  done = [];
});

/** Answers requests by the end of their path. */
function answering(answers: Record<string, (body: unknown) => Response>) {
  server.mockReset();
  server.mockImplementation(async (input, init) => {
    const url = new URL(typeof input === 'string' ? input : input.url, 'http://here');
    const text = typeof input === 'string' ? ((init?.body ?? '') as string) : await input.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const path = url.pathname.replace('/api/v1/', '');
    if (body !== undefined) done.push([path, body]);
    const answer = answers[path];
    if (answer === undefined) throw new Error(`nobody answers ${path}`);
    return answer(body);
  });
}

const nothing = { messages: 0, bytes: 0 };
const message = {
  id: 'siem:1',
  time: '2026-11-23T10:00:00Z',
  received: '2026-11-23T10:00:00Z',
  host: 'web-1',
  program: 'app',
  message: 'too much',
  fields: { 'logstead.refused': '400 Bad Request: no' },
};

test('a test message shows what the other side said, for the form as it was sent', async () => {
  answering({
    'destinations/test': () => Response.json({ ok: true, took_ms: 7, answer: '200 OK: got it' }),
  });
  const item = { id: 'siem', kind: 'ndjson_http', url: 'http://x' };
  const { rerender } = renderPart(<TestMessage item={item} />);
  await userEvent.click(screen.getByRole('button', { name: 'Send a test message' }));
  expect(await screen.findByText('Accepted in 7 ms')).toBeVisible();
  expect(screen.getByText('200 OK: got it')).toBeVisible();
  expect(done).toEqual([['destinations/test', item]]);
  rerender(<TestMessage item={{ ...item, url: 'http://y' }} />);
  expect(screen.queryByText('Accepted in 7 ms')).not.toBeInTheDocument();
});

test('a test message that is not accepted says what to do', async () => {
  answering({
    'destinations/test': () =>
      Response.json({ ok: false, took_ms: 7, error: 'refused: check that the server runs' }),
  });
  renderPart(<TestMessage item={{ id: 'siem' }} />);
  await userEvent.click(screen.getByRole('button', { name: 'Send a test message' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('check that the server runs');
});

test('to discard what waits, its number has to be typed', async () => {
  answering({
    'destinations/siem/queue': () =>
      Response.json({ total: 3, messages: [message], withheld: { messages: 2, bytes: 2048 } }),
    'destinations/siem/discard': () => Response.json({ messages: 2 }),
  });
  renderPart(<ListDialog list="queue" id="siem" canEdit onClose={vi.fn()} />);
  expect(await screen.findByText(/3 messages; the oldest 1/)).toBeVisible();
  expect(screen.getByText(/2 messages of the oldest/)).toBeVisible();
  const discard = screen.getByRole('button', { name: 'Discard' });
  expect(discard).toBeDisabled();
  await userEvent.type(screen.getByRole('textbox', { name: 'Discard the oldest' }), '2');
  await userEvent.click(discard);
  await waitFor(() => expect(done).toEqual([['destinations/siem/discard', { messages: 2 }]]));
});

test('what was refused says why, and can be sent again', async () => {
  answering({
    'destinations/siem/quarantine': () =>
      Response.json({ total: 1, messages: [message], withheld: nothing }),
    'destinations/siem/quarantine/replay': () =>
      Response.json(
        { title: 'Conflict', status: 409, detail: 'there are only 0' },
        { status: 409 },
      ),
  });
  renderPart(<ListDialog list="quarantine" id="siem" canEdit onClose={vi.fn()} />);
  expect(await screen.findByText('400 Bad Request: no')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Send again' }));
  expect(await screen.findByText('there are only 0')).toBeVisible();
  expect(done).toEqual([['destinations/siem/quarantine/replay', { messages: 1 }]]);
});

test('a reader sees what waits and can do nothing about it', async () => {
  answering({
    'destinations/siem/queue': () =>
      Response.json({ total: 1, messages: [message], withheld: nothing }),
  });
  renderPart(<ListDialog list="queue" id="siem" canEdit={false} onClose={vi.fn()} />);
  expect(await screen.findByText('too much')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Discard' })).not.toBeInTheDocument();
});

function replaying(...lines: Partial<ReplayLine>[]) {
  const whole = { messages: 0, of: 5, end: false, missing: 0 };
  const text = lines.map((line) => JSON.stringify({ ...whole, ...line })).join('\n');
  answering({
    logspaces: () => Response.json({ logspaces: [{ id: 'main' }] }),
    count: () => Response.json({ count: 5 }),
    'destinations/siem/replay': () => new Response(`${text}\n`),
  });
  renderPart(<ReplayDialog id="siem" onClose={vi.fn()} />);
}

async function start() {
  expect(await screen.findByText('5 messages found')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Replay' }));
}

test('a replay ends with what is in the queue', async () => {
  replaying({ messages: 2 }, { messages: 4, end: true, missing: 1 });
  await start();
  expect(await screen.findByText('4 messages in the queue')).toBeVisible();
  expect(screen.getByText('1 message cannot be read.')).toBeVisible();
  const [, asked] = done.find(([path]) => path.endsWith('/replay')) ?? [];
  // The range is sent as the moments that it meant when it was chosen.
  expect(asked).toMatchObject({ query: '', from: expect.stringMatching(/^\d{4}-.*Z$/) as string });
});

test('a replay that is cut off or fails says how far it came', async () => {
  replaying({ messages: 2 });
  await start();
  expect(await screen.findByRole('alert')).toHaveTextContent('The server broke it off2 of 5');
});

test('a destination that cannot be reached says so above all', async () => {
  const destination: DestinationStatus = {
    id: 'siem',
    kind: 'syslog',
    to: 'tcp://siem:514',
    enabled: true,
    state: 'retrying',
    last_error: 'Connection refused',
    queue_error: null,
    messages: 0,
    bytes: 0,
    messages_per_second: 0,
    queued: 12,
    queue_messages: 12,
    queue_bytes: 1024,
    queue_bytes_max: 4096,
    oldest_ms: 61_000,
    quarantined: 2,
    dropped: { queue_full: 3 },
  };
  const onOpen = vi.fn();
  renderPart(<DestinationFacts destination={destination} canEdit onOpen={onOpen} />);
  expect(screen.getByRole('alert')).toHaveTextContent('Connection refused');
  const facts = within(screen.getByRole('region', { name: 'State of siem' }));
  expect(facts.getByText('12 messages, 1.0 KiB of 4.0 KiB, measuring…')).toBeVisible();
  expect(facts.getByText('1 min')).toBeVisible();
  await userEvent.click(facts.getByRole('button', { name: 'Quarantine: siem' }));
  expect(onOpen).toHaveBeenCalledWith({ task: 'quarantine', id: 'siem' });
});
