import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../../test-render';
import { Findings } from './Findings';

function show(isNarrow: boolean) {
  renderPart(
    <Findings
      findings={[]}
      isCurrent
      isRunning={false}
      isNarrow={isNarrow}
      onFix={vi.fn()}
      onShow={vi.fn()}
      onCell={vi.fn()}
    />,
  );
}

test('a test of some messages says nothing about the others', () => {
  show(true);
  expect(screen.getByText('None of these messages is lost. Others were not tried.')).toBeVisible();
  expect(screen.queryByText(/every route/)).not.toBeInTheDocument();
});

test('a test of all says that every route takes some', () => {
  show(false);
  expect(screen.getByText('No message is lost, and every route takes some.')).toBeVisible();
});
