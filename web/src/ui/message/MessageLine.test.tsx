import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { termsOf } from '../../test-corpus';
import { renderPart } from '../../test-render';
import { hitsOf } from '../highlight';
import { MessageLine } from './MessageLine';
import { sample } from './sample';
import { ROW_CHARACTERS_MAX } from './text';

function show(part: Parameters<typeof sample>[0], query = '') {
  const flags = { wrap: false, current: false, open: false, marked: false, focusable: false };
  renderPart(
    <MessageLine
      message={sample(part)}
      index={4}
      rowIndex={6}
      hits={hitsOf(termsOf(query))}
      times="absolute"
      zone="utc"
      now={0}
      {...flags}
    />,
  );
  return screen.getByRole('row');
}

test('a row says its place, its severity as a word and how to open it', () => {
  const row = show({ severity: 3, severity_name: 'err' });
  expect(row).toHaveAttribute('aria-rowindex', '6');
  expect(row).toHaveAttribute('data-row', '4');
  expect(screen.getByRole('img', { name: 'err' })).toHaveTextContent('E');
  expect(screen.getByRole('button', { name: 'Details' })).toHaveAttribute('tabindex', '-1');
});

test('a row holds the beginning of a long message only', () => {
  const row = show({ message: 'x'.repeat(1_500_000) });
  expect(row.textContent.length).toBeLessThan(ROW_CHARACTERS_MAX + 200);
  expect(row).toHaveTextContent(/more characters$/);
});

test('the terms of a query are marked in their fields, and nothing of the text is obeyed', () => {
  const row = show({ message: '<b>key</b> \u001b[31m', host: 'key' }, 'key host:key');
  expect([...row.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['key', 'key']);
  expect(row).toHaveTextContent('<b>key</b> ␛[31m');
});
