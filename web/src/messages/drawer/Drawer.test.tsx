import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../../api/client';
import { renderPart } from '../../test-render';
import { sample } from '../../ui/message/sample';
import { Drawer } from './Drawer';
import { type MessageState, initialColumns, initialFacets } from '../messageState';

const load = vi.hoisted(() => vi.fn());
const answer = vi.hoisted(() => {
  const stub = vi.fn<(request: Request) => Promise<Response>>();
  vi.stubGlobal('fetch', stub);
  return stub;
});
vi.mock('../messageState', async (original) => ({
  ...(await original<typeof import('../messageState')>()),
  messageQuery: (id: string) => ({ queryKey: ['message', id], queryFn: load }),
}));

// Shares of values take a separate request, which is not answered in this test.
vi.mock('./shares', () => ({
  sharesQuery: () => ({ queryKey: ['shares'], queryFn: () => new Promise(() => undefined) }),
}));

const messages = ['main:3', 'main:2', 'main:1'].map((id) =>
  sample({ id, message: `text of ${id}` }),
);

function open(id: string, part: Partial<MessageState> = {}) {
  const on = { onAsk: vi.fn(), onChange: vi.fn() };
  const state: MessageState = {
    query: '',
    range: { kind: 'last', span: '1h' },
    logspaces: [],
    view: 'lines',
    columns: initialColumns,
    facets: initialFacets,
    tab: 'fields',
    open: id,
    ...part,
  };
  renderPart(<Drawer state={state} id={id} messages={messages} hits={[]} {...on} />);
  return on;
}

test('a message of the results is shown at once, with its neighbours', () => {
  const { onChange } = open('main:2');
  expect(screen.getByRole('heading', { name: 'text of main:2' })).toBeVisible();
  fireEvent.click(screen.getByLabelText('Older message'));
  fireEvent.click(screen.getByLabelText('Newer message'));
  expect(onChange.mock.calls).toEqual([[{ open: 'main:1' }], [{ open: 'main:3' }]]);
});

test('a message that is not among the results is asked for', async () => {
  load.mockResolvedValue(sample({ id: 'main:9', message: 'from afar' }));
  open('main:9');
  expect(await screen.findByRole('heading', { name: 'from afar' })).toBeVisible();
  expect(screen.getByLabelText('Older message')).toBeDisabled();
});

test('a message that is not in the store is said to be missing', async () => {
  load.mockRejectedValue(new ApiError({ title: 'Not Found', status: 404 }));
  open('main:9');
  expect(await screen.findByText('This message is not in the store.')).toBeVisible();
});

test('a value is asked for with the message left open', async () => {
  const { onAsk } = open('main:2', { query: 'failed' });
  answer.mockResolvedValue(Response.json({ query: 'failed -host=web-1' }));
  fireEvent.click(screen.getByLabelText('Exclude host=web-1'));
  const asked = { query: 'failed -host=web-1', open: 'main:2' };
  await waitFor(() => expect(onAsk).toHaveBeenCalledWith(asked));
  expect(await answer.mock.calls[0]?.[0].json()).toEqual({
    query: 'failed',
    unparsed: 'text',
    edits: [{ op: 'exclude', field: 'host', value: 'web-1' }],
  });
});

test('Escape closes it', () => {
  const { onChange } = open('main:2');
  fireEvent.keyDown(screen.getByText('Fields'), { key: 'Escape' });
  expect(onChange).toHaveBeenCalledWith({ open: null });
});
