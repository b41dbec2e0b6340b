/** The view options of all tails. */
import { Button, Menu } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import type { View } from '../messages/messageState';
import { ViewItems } from '../messages/list/ViewItems';

type Props = {
  view: View;
  wrap: boolean;
  onView: (view: View) => void;
  onWrap: () => void;
};

export function ViewMenu({ view, wrap, onView, onWrap }: Props) {
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          aria-label="View options"
        >
          View
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.CheckboxItem
          checked={view === 'table'}
          onChange={(table) => onView(table ? 'table' : 'lines')}
        >
          Table
        </Menu.CheckboxItem>
        <ViewItems wrap={wrap} onWrap={onWrap} />
      </Menu.Dropdown>
    </Menu>
  );
}
