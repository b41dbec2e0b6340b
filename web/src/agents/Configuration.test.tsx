import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPart } from '../test-render';
import { Configuration } from './AgentsPage';
import type { SendTarget } from './fill';
import type { Agent } from './guide';

const agent: Agent = {
  id: 'logger',
  name: 'logger',
  group: 'Syslog',
  blocks: [{ kind: 'code', text: 'logger -n logs.example -P 5514 -T hello' }],
};
const place: SendTarget = {
  host: 'logs.corp',
  token: '',
  word: 'test-1a2b3c',
  web: { protocol: 'https:', port: '', base: '' },
  listeners: null,
};

function show(mayKnowPorts: boolean) {
  renderPart(
    <Configuration agent={agent} place={place} sources={[]} mayKnowPorts={mayKnowPorts} />,
  );
}

test('who may not know the ports is told so, and who sees them', () => {
  show(false);
  expect(screen.getByText(/^The port for .* is not known to you$/)).toBeVisible();
  expect(screen.getByText(/An administrator or an operator sees it/)).toBeVisible();
  expect(screen.getByRole('textbox', { name: 'logger configuration' })).toHaveTextContent(
    '-P PORT',
  );
});

test('while they are asked for, that is said instead', () => {
  show(true);
  expect(screen.getByText(/PORT is filled in as soon as the server says/)).toBeVisible();
  expect(screen.queryByText(/not known to you/)).not.toBeInTheDocument();
});
