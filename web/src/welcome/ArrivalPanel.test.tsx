import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPart } from '../test-render';
import type { Arrival } from './arrival';
import { ArrivalPanel } from './WelcomePage';
import { useQueryClient } from '@tanstack/react-query';

const nothing = { message: null, newest: null } as unknown as Arrival;

function Panel({ arrival, part }: { arrival: Arrival | undefined; part: boolean }) {
  const user = { name: 'anna', role: 'analyst', logspaces: part ? ['a'] : null, scope: null };
  useQueryClient().setQueryData(['session'], { user });
  return <ArrivalPanel arrival={arrival} error={null} onNext={() => undefined} />;
}

test('nothing is said to have come in by those only who can know it', () => {
  const { unmount } = renderPart(<Panel arrival={undefined} part={false} />);
  expect(screen.queryByText(/has come in/)).not.toBeInTheDocument();
  unmount();
  const whole = renderPart(<Panel arrival={nothing} part={false} />);
  expect(screen.getByText(/^Nothing has come in yet/)).toBeVisible();
  whole.unmount();
  renderPart(<Panel arrival={nothing} part />);
  expect(screen.getByText(/^Nothing that you may see has come in yet/)).toBeVisible();
});
