/** What can be done with a field of the sidebar. */
import { Menu } from '@mantine/core';
import { IconArrowUp, IconChartBar, IconColumns, IconSum, IconTrash } from '@tabler/icons-react';
import { useEdit } from '../../ui/query/useEdit';
import type { FieldProps } from './field';

export function FieldMenu({ state, field, onAsk, onChange }: FieldProps) {
  const { columns, facets } = state;
  const isColumn = columns.includes(field);
  const edit = useEdit(state.query);
  const others = facets.filter((other) => other !== field);
  return (
    <>
      <Menu.Item
        leftSection={<IconColumns size={14} />}
        onClick={() =>
          onChange({
            columns: isColumn ? columns.filter((other) => other !== field) : [...columns, field],
            view: 'table',
          })
        }
      >
        {isColumn ? 'Remove its column' : 'Show as a column'}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconChartBar size={14} />}
        onClick={() => onChange({ split: field })}
        disabled={state.split === field}
      >
        Split the bars by it
      </Menu.Item>
      <Menu.Item
        leftSection={<IconSum size={14} />}
        onClick={() => edit([{ op: 'top', field }], (query) => onAsk({ query }))}
      >
        Statistics: its top 20
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        leftSection={<IconArrowUp size={14} />}
        onClick={() => onChange({ facets: [field, ...others] })}
        disabled={facets[0] === field}
      >
        Move to the top
      </Menu.Item>
      <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => onChange({ facets: others })}>
        Remove from the sidebar
      </Menu.Item>
    </>
  );
}
