/** The menu of a field in the sidebar. */
import { Menu } from '@mantine/core';
import {
  IconArrowUp,
  IconChartBar,
  IconColumns,
  IconPin,
  IconPinnedOff,
  IconSum,
} from '@tabler/icons-react';
import type { FieldProps } from './field';
import { isSame } from './groups';

/** The limit of one request, with the fields that are always counted. */
const PINNED_MAX = 24;

export function FieldMenu(props: FieldProps & { isPinned: boolean }) {
  const { state, field, isPinned, onEdit, onChange } = props;
  const { columns, facets } = state;
  const isColumn = columns.includes(field);
  const others = facets.filter((other) => !isSame(other, field));
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
        {isColumn ? 'Hide column' : 'Show as column'}
      </Menu.Item>
      {state.split !== undefined && (
        <Menu.Item
          leftSection={<IconChartBar size={14} />}
          onClick={() => onChange({ split: field })}
          disabled={state.split === field}
        >
          Break down histogram
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconSum size={14} />} onClick={() => onEdit([{ op: 'top', field }])}>
        Top 20 values
      </Menu.Item>
      <Menu.Divider />
      {isPinned ? (
        <>
          <Menu.Item
            leftSection={<IconArrowUp size={14} />}
            onClick={() => onChange({ facets: [field, ...others] })}
            disabled={facets[0] === field}
          >
            Move to top
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPinnedOff size={14} />}
            onClick={() => onChange({ facets: others })}
          >
            Unpin
          </Menu.Item>
        </>
      ) : (
        <Menu.Item
          leftSection={<IconPin size={14} />}
          onClick={() => onChange({ facets: [...facets, field] })}
          disabled={facets.length >= PINNED_MAX}
        >
          Pin
        </Menu.Item>
      )}
    </>
  );
}
