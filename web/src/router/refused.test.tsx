import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { RouterStatus } from '../api/model';
import { renderPart } from '../test-render';
import { EndCard } from './canvas/cards';
import type { CardData } from './canvas/cardData';
import type { RouterDocument } from './document';
import { ListView } from './Views';

const item = { id: 'siem', kind: 'ndjson_http', url: 'http://siem' };
const document: RouterDocument = {
  version: 1,
  sources: [],
  routes: [],
  logspaces: [],
  destinations: [item],
};

function status(part: { quarantined: number; queue_messages: number }): RouterStatus {
  const destination = {
    id: 'siem',
    kind: 'ndjson_http',
    state: 'ok',
    messages_per_second: 2,
    queue_bytes: 0,
    queue_bytes_max: 1000,
    ...part,
  };
  return {
    sources: [],
    routes: [],
    logspaces: [],
    destinations: [destination],
    queues_left: [],
    unrouted_messages: 0,
  } as unknown as RouterStatus;
}

function showCard(status: RouterStatus) {
  const data: CardData = {
    item,
    place: { section: 'destinations', index: 0 },
    box: { x: 0, y: 0, width: 100, height: 100 },
    status,
    measured: undefined,
    problems: [],
    warnings: [],
    badges: [],
    newSteps: new Set(),
    rate: undefined,
    drops: [],
    values: [],
    isShown: false,
    isLit: null,
    hasSteps: false,
    count: 1,
    onShow: vi.fn(),
    actions: null,
  };
  return renderPart(<EndCard {...data} name="siem" wrong={[]} />);
}

function showList(status: RouterStatus) {
  return renderPart(
    <ListView
      document={document}
      status={status}
      live={document}
      shares={new Map()}
      measured={undefined}
      problems={[]}
      warnings={[]}
      shown={null}
      canEdit={false}
      onShow={vi.fn()}
      onAdd={vi.fn()}
      onMove={vi.fn()}
      onOpen={vi.fn()}
    />,
  );
}

test('the card of a destination says what was refused, also where the queue is empty', () => {
  const { unmount } = showCard(status({ quarantined: 4, queue_messages: 0 }));
  expect(screen.getByText('4 refused')).toBeVisible();
  expect(screen.queryByText('queue empty')).not.toBeInTheDocument();
  unmount();
  const second = showCard(status({ quarantined: 4, queue_messages: 2 }));
  expect(screen.getByText('2 waiting, 4 refused')).toBeVisible();
  second.unmount();
  showCard(status({ quarantined: 0, queue_messages: 0 }));
  expect(screen.getByText('queue empty')).toBeVisible();
});

test('so does its row in the list', () => {
  const { unmount } = showList(status({ quarantined: 4, queue_messages: 0 }));
  expect(screen.getByRole('button', { name: 'Destination siem' })).toHaveTextContent('4 refused');
  unmount();
  showList(status({ quarantined: 0, queue_messages: 0 }));
  expect(screen.queryByText(/refused/)).not.toBeInTheDocument();
});
