import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '../test-render';
import { TailPage } from './TailPage';
import { type TailState, readTail, writeTail } from './tailParams';

// The plain field replaces the editor, as it does if the editor cannot be loaded.
vi.mock('../ui/query/QueryEditor', () => {
  throw new Error('not loaded');
});

/** The server's answer to each tail. */
let answer: () => Response;
let asked: string[];
let address: Record<string, string>;

beforeEach(() => {
  asked = [];
  answer = () =>
    new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/event-stream' } });
  vi.stubGlobal('fetch', (request: string | Request) => {
    // Completion uses a separate request.
    if (typeof request !== 'string' || request === '/healthz')
      return Promise.reject(new TypeError('no server'));
    asked.push(request);
    return Promise.resolve(answer());
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('Space pauses and goes on, and says so', async () => {
  show({});
  const user = userEvent.setup();
  await user.keyboard(' ');
  expect(screen.getByRole('button', { name: 'Resume' })).toBeVisible();
  expect(screen.getByText('Paused', { selector: '[role=status]' })).toBeInTheDocument();
  await user.keyboard(' ');
  expect(screen.getByRole('button', { name: 'Pause' })).toBeVisible();
});

test('Space in the query and on a button means what it means there', async () => {
  show({});
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox', { name: 'Query' }), 'a b');
  expect(screen.getByRole('button', { name: 'Pause' })).toBeVisible();
  screen.getByRole('button', { name: 'Split' }).focus();
  await user.keyboard(' ');
  expect(screen.getByRole('button', { name: 'Pause' })).toBeVisible();
  expect(address).toHaveProperty('q2');
});

test('f stops and starts following', async () => {
  show({});
  const user = userEvent.setup();
  expect(screen.getByRole('button', { name: 'Follow' })).toHaveAttribute('aria-pressed', 'true');
  await user.keyboard('f');
  expect(screen.getByRole('button', { name: 'Follow' })).toHaveAttribute('aria-pressed', 'false');
});

test('Enter runs the query, and the address has it', async () => {
  show({ q: 'ssh' });
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox', { name: 'Query' }), ' failed{Enter}');
  expect(address).toEqual({ q: 'ssh failed' });
  expect(asked.at(-1)).toContain('query=ssh+failed');
});

test('there are up to four tails, and each can be closed', async () => {
  show({ q: 'a', q2: 'b', q3: 'c', q4: 'd' });
  const user = userEvent.setup();
  expect(screen.getByRole('button', { name: 'Split' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Close tail 2' }));
  expect(address).toEqual({ q: 'a', q2: 'c', q3: 'd' });
  // The other tails continue unchanged.
  expect(asked).toHaveLength(4);
  expect(screen.getByRole('textbox', { name: 'Query of tail 3' })).toHaveValue('d');
});

test('highlights come and go with the address', async () => {
  show({ highlight: 'one' });
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox', { name: 'Highlight' }), 'two{Enter}');
  expect(address).toEqual({ highlight: 'one\ntwo' });
  await user.click(screen.getByRole('button', { name: 'Remove highlight one' }));
  expect(address).toEqual({ highlight: 'two' });
});

test('a refusal is shown with a way out', async () => {
  answer = () =>
    Response.json({ title: 'Bad Request', status: 400, detail: 'for programs' }, { status: 400 });
  show({ q: 'a | stats count' });
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Remove | stats count');
  expect(within(alert).getByRole('link', { name: 'Open in Search' })).toHaveAttribute(
    'href',
    expect.stringContaining('q=a+%7C+stats+count'),
  );
  const user = userEvent.setup();
  await user.click(within(alert).getByRole('button', { name: 'Try again' }));
  expect(asked).toHaveLength(2);
});

test('without HTTPS the bell says why it stays silent', async () => {
  show({});
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Notify me of matches' }));
  expect(await screen.findByText(/only over HTTPS/)).toBeVisible();
});

function show(params: Record<string, string>) {
  address = params;
  renderPart(<Page />);
}

function Page() {
  const [state, setState] = useState(() => readTail(address));
  const onChange = (next: TailState) => {
    address = writeTail(next);
    setState(next);
  };
  return <TailPage state={state} onChange={onChange} />;
}
