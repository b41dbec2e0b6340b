import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { termsOf } from '../../test-corpus';
import { renderPart } from '../../test-render';
import { hitsOf } from '../highlight';
import { MessageLine } from './MessageLine';
import { plainLayout } from './rowLayout';
import { sample } from './sample';
import { ROW_CHARACTERS_MAX } from './text';

const flags = { wrap: false, current: false, open: false, marked: false, focusable: false };
const shared = { ...flags, index: 4, rowIndex: 6, times: 'absolute', zone: 'utc', now: 0 } as const;

function show(part: Parameters<typeof sample>[0], query = '') {
  const hits = hitsOf(termsOf(query));
  renderPart(<MessageLine {...shared} message={sample(part)} hits={hits} />);
  return screen.getByRole('row');
}

test('a row says its place, its severity as a word and how to open it', () => {
  const row = show({ severity: 3, severity_name: 'err' });
  expect(row).toHaveAttribute('aria-rowindex', '6');
  expect(row).toHaveAttribute('data-row', '4');
  expect(screen.getByRole('img', { name: 'err' })).toHaveAttribute('title', 'err');
  expect(screen.getByRole('button', { name: 'Details' })).toHaveAttribute('tabindex', '-1');
});

test('a row holds the beginning of a long message only', () => {
  const row = show({ message: 'x'.repeat(1_500_000) });
  expect(row.textContent.length).toBeLessThan(ROW_CHARACTERS_MAX + 200);
  expect(row).toHaveTextContent(/more characters$/);
});

test('the terms of a query are marked in their fields, and nothing of the text is obeyed', () => {
  const row = show({ message: '<b>key</b> \u0007', host: 'key' }, 'key host:key');
  expect([...row.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['key', 'key']);
  expect(row).toHaveTextContent('<b>key</b> ␇');
});

test('a value that all have but this one is said in the row', () => {
  const message = sample({ host: 'web-9', program: 'sshd' });
  const layout = {
    ...plainLayout,
    host: { ch: 5, only: 'web-1' },
    program: { ch: 7, only: 'sshd' },
    logspace: { ch: 8, only: null },
  };
  renderPart(<MessageLine {...shared} message={message} hits={[]} layout={layout} />);
  const cells = screen.getAllByRole('cell').map((cell) => cell.textContent);
  expect(cells.slice(2)).toEqual(['web-9 Accepted key for ana', 'main']);
});
