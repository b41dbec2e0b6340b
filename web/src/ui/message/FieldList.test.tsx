import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../../test-render';
import { FieldList } from './FieldList';
import { sample } from './sample';

const message = sample({ fields: { user: 'ana' } });

test('a value can be asked for and left out', () => {
  const onFilter = vi.fn();
  renderPart(<FieldList message={message} hits={[]} onFilter={onFilter} />);
  fireEvent.click(screen.getByLabelText('Include user=ana'));
  fireEvent.click(screen.getByLabelText('Exclude host=web-1'));
  expect(onFilter.mock.calls).toEqual([
    ['user', 'ana', false],
    ['host', 'web-1', true],
  ]);
});

test('a field can be made a column and taken out of the table', () => {
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
  expect(screen.getByLabelText('Hide column host')).toBeVisible();
  fireEvent.click(screen.getByLabelText('Show user as a column'));
  expect(onColumn).toHaveBeenCalledWith('user');
});
