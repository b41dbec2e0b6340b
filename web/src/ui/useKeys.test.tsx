import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../test-render';
import { availableCommands, useCommands } from './commands';
import { boundKeys, useKeys } from './useKeys';

function Page({ run }: { run: (what: string) => void }) {
  useKeys({
    t: { does: 'Time range', run: () => run('t') },
    Enter: { does: 'Run the query' },
    x: () => run('x'),
  });
  return <input aria-label="Query" />;
}

function Frame({ run, children }: { run: (what: string) => void; children?: React.ReactNode }) {
  useCommands([
    { id: 'tail', title: 'Go to Tail', keys: 'g t', group: 'Everywhere', run: () => run('g t') },
    { id: 'palette', title: 'Commands', keys: 'Mod-k', run: () => run('palette') },
  ]);
  return children;
}

const show = () => {
  const run = vi.fn();
  const shown = renderPart(
    <Frame run={run}>
      <Page run={run} />
    </Frame>,
  );
  return { run, ...shown };
};

test('two parts of a page share one keyboard: a sequence is not also its last key', async () => {
  const { run } = show();
  await userEvent.keyboard('gt');
  expect(run.mock.calls).toEqual([['g t']]);
  await userEvent.keyboard('tx');
  expect(run.mock.calls).toEqual([['g t'], ['t'], ['x']]);
});

test('keys typed into a field are left alone, except with Ctrl or Cmd', async () => {
  const { run } = show();
  await userEvent.click(screen.getByRole('textbox'));
  await userEvent.keyboard('tgt');
  expect(run).not.toHaveBeenCalled();
  await userEvent.keyboard('{Control>}k{/Control}');
  expect(run.mock.calls).toEqual([['palette']]);
});

test('what is bound is what can be listed, until the page is gone', () => {
  const { unmount } = show();
  const described = () => boundKeys().map(({ keys, does }) => `${keys}: ${does ?? '-'}`);
  expect(described().sort()).toEqual([
    'Enter: Run the query',
    'Mod-k: Commands',
    'g t: Go to Tail',
    't: Time range',
    'x: -',
  ]);
  expect(availableCommands().map(({ id }) => id)).toEqual(['tail', 'palette']);
  unmount();
  expect(boundKeys()).toEqual([]);
  expect(availableCommands()).toEqual([]);
});
