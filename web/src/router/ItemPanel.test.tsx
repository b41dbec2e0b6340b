import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { DocumentProblem } from '../api/model';
import { renderPart } from '../test-render';
import { ItemPanel } from './ItemPanel';
import type { ItemPlace, RouterDocument } from './document';
import type { Edit } from './draft/edits';

const document: RouterDocument = {
  version: 1,
  sources: [{ id: 'syslog', kind: 'syslog', listen: ['tcp://0.0.0.0:5514'] }],
  logspaces: [{ id: 'main' }],
  destinations: [],
  routes: [{ id: 'default', from: [], where: '(', to: ['main', 'gone'] }],
};

function setUp(place: ItemPlace, problems: DocumentProblem[] = [], canEdit = true) {
  const onEdit = vi.fn<(edit: Edit) => void>();
  renderPart(
    <ItemPanel
      place={place}
      item={document[place.section][place.index] ?? {}}
      problems={problems}
      status={undefined}
      isNew={false}
      canEdit={canEdit}
      onClose={vi.fn()}
      onEdit={onEdit}
      onOpen={vi.fn()}
    />,
  );
  return onEdit;
}

const source: ItemPlace = { section: 'sources', index: 0 };

test('a problem stands next to its field', () => {
  setUp(source, [{ path: 'sources[0].listen', message: 'a term is missing here' }]);
  const listen = screen.getByRole('textbox', { name: 'Listen on' });
  expect(listen).toBeInvalid();
  expect(listen).toHaveAccessibleDescription(/a term is missing here/);
});

test('a problem without a field stands above the fields', () => {
  setUp(source, [{ path: 'sources[0].color', message: 'unknown key' }]);
  expect(screen.getByRole('alert')).toHaveTextContent('Source syslog, color: Unknown key');
});

test('a list is written a line each, and empty lines are not in the document', async () => {
  const onEdit = setUp(source);
  const listen = screen.getByRole('textbox', { name: 'Listen on' });
  await userEvent.type(listen, '{Enter}{Enter}x');
  expect(listen).toHaveValue('tcp://0.0.0.0:5514\n\nx');
  const value = ['tcp://0.0.0.0:5514', 'x'];
  expect(onEdit.mock.lastCall?.[0]).toEqual({ type: 'set', place: source, key: 'listen', value });
});

test('another kind begins with its own keys', async () => {
  const onEdit = setUp(source);
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Kind' }), 'http');
  const item = { id: 'syslog', kind: 'http' };
  expect(onEdit).toHaveBeenCalledWith({ type: 'replace', place: source, item });
});

test('what is turned on is turned off by the switch at its head', async () => {
  const onEdit = setUp(source);
  await userEvent.click(screen.getByRole('switch', { name: 'Enabled' }));
  const edit = { type: 'set', place: source, key: 'enabled', value: false };
  expect(onEdit.mock.lastCall?.[0]).toEqual(edit);
});

test('a logspace is always on', () => {
  setUp({ section: 'logspaces', index: 0 });
  expect(screen.queryByRole('switch', { name: 'Enabled' })).not.toBeInTheDocument();
});

test('a reader can look but not edit', () => {
  setUp(source, [], false);
  expect(screen.getByRole('textbox', { name: 'Name' })).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Remove' })).not.toBeInTheDocument();
});
