import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../../test-render';
import { FieldList } from './FieldList';
import { sample } from './sample';

const message = sample({ fields: { user: 'ana' } });

test('a value can be asked for and left out', async () => {
  const onFilter = vi.fn();
  renderPart(<FieldList message={message} hits={[]} onFilter={onFilter} />);
  await userEvent.click(screen.getByRole('button', { name: 'Include user=ana' }));
  await userEvent.click(screen.getByRole('button', { name: 'Exclude host=web-1' }));
  expect(onFilter.mock.calls).toEqual([
    ['user', 'ana', false],
    ['host', 'web-1', true],
  ]);
});

test('a field can be made a column and taken out of the table', async () => {
  const onColumn = vi.fn();
  renderPart(
    <FieldList
      message={message}
      hits={[]}
      onFilter={vi.fn()}
      columns={['host']}
      onColumn={onColumn}
    />,
  );
  expect(screen.getByRole('button', { name: 'Remove column host' })).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Show user as a column' }));
  expect(onColumn).toHaveBeenCalledWith('user');
});
