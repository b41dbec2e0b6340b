import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ExplainResult } from '../../api/model';
import { renderPart } from '../../test-render';
import { SlowSign } from './QueryBar';

function show(cost: ExplainResult['cost']) {
  const sum = { undecided_messages: 1_200, tail_messages: 34 };
  renderPart(<SlowSign explained={{ cost, sum } as ExplainResult} />);
}

test('a query that is quick is not called anything', () => {
  show('instant');
  show('quick');
  expect(screen.queryByRole('note')).toBeNull();
});

test('one that is slow says why, and what would help', () => {
  show('slow');
  expect(screen.getByRole('note')).toHaveTextContent('Slow');
  expect(screen.getByRole('note')).toHaveAccessibleName(
    /^Slow: 1\u202f234 messages are looked at one by one.*A shorter time, a field or a whole word/,
  );
});
