import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { DestinationStatus, RouterStatus } from '../api/model';
import { renderPart } from '../test-render';
import { DestinationCard } from './OverviewPage';

function show(parts: Partial<DestinationStatus>) {
  const destination = {
    id: 'siem',
    state: 'ok',
    queue_messages: 0,
    quarantined: 0,
    oldest_ms: null,
    ...parts,
  };
  renderPart(
    <DestinationCard status={{ destinations: [destination] } as unknown as RouterStatus} />,
  );
  return within(screen.getByRole('row', { name: /siem/ }));
}

test('a destination that refuses messages is not ok', () => {
  const row = show({ quarantined: 3 });
  expect(row.getByText('refuses')).toHaveAttribute('data-tone', 'caution');
  expect(row.getByText('3 refused')).toHaveAttribute('data-tone', 'caution');
});

test('one that is down is down, whatever it refused before', () => {
  const row = show({ state: 'retrying', quarantined: 3 });
  expect(row.getByText('down')).toHaveAttribute('data-tone', 'bad');
  expect(row.getByText('3 refused')).toBeVisible();
});

test('one that takes all is ok, and quiet', () => {
  const row = show({});
  expect(row.getByText('ok')).toHaveAttribute('data-tone', 'quiet');
  expect(row.queryByText(/refused/)).not.toBeInTheDocument();
});
