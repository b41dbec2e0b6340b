import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../../test-render';
import { CopiesLeftOut } from './CopiesLeftOut';

test('copies that an answer leaves out are said, and can be made to count', async () => {
  const onShow = vi.fn();
  renderPart(<CopiesLeftOut copies={1200} onShow={onShow} />);
  await userEvent.click(screen.getByRole('button', { name: /^1.200 copies left out$/ }));
  expect(onShow).toHaveBeenCalledOnce();
});

test.each([0, null, undefined])('%s copies are not spoken of', (copies) => {
  renderPart(<CopiesLeftOut copies={copies} onShow={vi.fn()} />);
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});
