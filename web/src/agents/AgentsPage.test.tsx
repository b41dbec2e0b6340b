import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '../test-render';
import { AgentsPage } from './AgentsPage';
import { readAgents } from './agentParams';
import { WAIT_MAX_MS } from './arrival';

// The plain field replaces the editor, as it does if the editor cannot be loaded.
vi.mock('../ui/query/QueryEditor', () => {
  throw new Error('not loaded');
});

/** The server's answer to each tail. */
let answer: () => Promise<Response>;
let asked: string[];

beforeEach(() => {
  Element.prototype.scrollIntoView = () => undefined;
  asked = [];
  answer = () =>
    Promise.resolve(
      new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/event-stream' } }),
    );
  vi.stubGlobal('fetch', (request: string | Request) => {
    // The other requests of the page are not under test.
    if (typeof request !== 'string' || !request.includes('/tail'))
      return new Promise(() => undefined);
    asked.push(request);
    return answer();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the list is filtered and walked by keys', async () => {
  renderPart(<Page agent="curl" />);
  const user = userEvent.setup();
  const list = screen.getByRole('navigation', { name: 'Agents' });
  await user.type(within(list).getByRole('textbox', { name: 'Filter agents' }), 'containers');
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(within(list).getByRole('link', { name: 'Kubernetes' })).toHaveFocus();
  await user.keyboard('{ArrowUp}{ArrowUp}');
  expect(within(list).getByRole('textbox')).toHaveFocus();
  await user.type(within(list).getByRole('textbox'), ' of no kind');
  expect(within(list).getByText(/No agent of that name/)).toBeVisible();
});

test('what is pasted is filled in, and not kept', async () => {
  renderPart(<Page agent="curl" />);
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox', { name: 'Token' }), 'lst_pasted');
  await user.clear(screen.getByRole('textbox', { name: 'Host' }));
  await user.type(screen.getByRole('textbox', { name: 'Host' }), 'logs.corp');
  const command = screen.getByRole('textbox', { name: 'curl configuration' });
  expect(command).toHaveTextContent('Bearer lst_pasted');
  expect(command).toHaveTextContent('http://logs.corp:3000/api/v1/ingest');
  expect([localStorage, sessionStorage].flatMap(Object.values).join()).not.toContain('lst_pasted');
  expect(asked.join()).not.toContain('lst_pasted');
});

test('where no token is needed none is asked for', () => {
  renderPart(<Page agent="rsyslog" />);
  expect(screen.queryByRole('textbox', { name: 'Token' })).toBeNull();
});

test('a user who cannot see messages is told so, and that sending works', async () => {
  const problem = { title: 'Forbidden', status: 403, detail: 'no grant' };
  answer = () => Promise.resolve(Response.json(problem, { status: 403 }));
  renderPart(<Page agent="curl" />);
  expect(await screen.findByText('You may not see messages')).toBeVisible();
  expect(screen.getByText(/You can still send/)).toBeVisible();
});

test('a lost connection is said', async () => {
  answer = () => Promise.reject(new TypeError('no server'));
  renderPart(<Page agent="curl" />);
  expect(await screen.findByText('Connection lost; reconnecting')).toBeVisible();
});

test('after ten minutes it stops, and goes on when asked', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  // The server sends something every second, so the connection does not count as dead.
  answer = () => Promise.resolve(talkative());
  renderPart(<Page agent="curl" />);
  expect(await screen.findByText('Waiting for your test message…')).toBeVisible();
  await act(() => vi.advanceTimersByTimeAsync(WAIT_MAX_MS));
  expect(screen.getByText('Nothing came in 10 minutes')).toBeVisible();
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  await user.click(screen.getByRole('button', { name: 'Keep waiting' }));
  expect(await screen.findByText('Waiting for your test message…')).toBeVisible();
});

function talkative(): Response {
  let timer: ReturnType<typeof setInterval>;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      timer = setInterval(
        () => controller.enqueue(new TextEncoder().encode(': still here\n\n')),
        5_000,
      );
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
}

function Page({ agent }: { agent: string }) {
  const [state, setState] = useState(() => readAgents({ agent }));
  return <AgentsPage state={state} onChange={setState} />;
}
