import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test, vi } from 'vitest';
import { renderPart } from '../test-render';
import { Palette } from './Palette';

beforeAll(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

function show() {
  const run = vi.fn<(title: string) => void>();
  const onClose = vi.fn();
  const command = (title: string, group?: string) => ({
    id: title,
    title,
    ...(group !== undefined && { group }),
    run: () => run(title),
  });
  const commands = [command('Go to Tail', 'Go to'), command('Search again')];
  renderPart(
    <Palette
      opened
      onClose={onClose}
      commands={() => commands}
      page="Search"
      groups={['Go to']}
      fallback={(typed) => command(`Search for ${typed}`, 'Query')}
    />,
  );
  return { run, onClose };
}

const options = () => screen.getAllByRole('option').map(({ textContent }) => textContent);

test('the commands of the page come first', () => {
  show();
  expect(options()).toEqual(['Search again', 'Go to Tail']);
});

test('a few letters and Enter run a command and close the palette', async () => {
  const { run, onClose } = show();
  await userEvent.type(screen.getByRole('combobox'), 'tail{Enter}');
  expect(run.mock.calls).toEqual([['Go to Tail']]);
  expect(onClose).toHaveBeenCalledOnce();
});

test('text that is not a command can be searched for', async () => {
  const { run } = show();
  await userEvent.type(screen.getByRole('combobox'), 'xyzzy{Enter}');
  expect(run.mock.calls).toEqual([['Search for xyzzy']]);
});

test('arrows go round', async () => {
  const { run } = show();
  await userEvent.type(screen.getByRole('combobox'), '{ArrowUp}{Enter}');
  expect(run.mock.calls).toEqual([['Go to Tail']]);
});
