/** The menu for a value that was clicked in a row. */
import { Menu } from '@mantine/core';
import { IconChartBar, IconCopy, IconEqual, IconEqualNot, IconFilter } from '@tabler/icons-react';
import { cut, visible } from '../../ui/message/text';
import { MenuAt } from './MenuAt';
import type { ClickedValue } from './click';

const TITLE_CHARACTERS_MAX = 80;

type Props = {
  clicked: ClickedValue | null;
  onClose: () => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onOnly: (field: string, value: string) => void;
  onCopy: (text: string) => void;
  onStatistics: (field: string) => void;
};

export function ValueMenu({ clicked, onClose, ...on }: Props) {
  if (clicked === null) return null;
  const { field, value, at } = clicked;
  const title = visible(cut(value, TITLE_CHARACTERS_MAX).text);
  return (
    <MenuAt title={`${field}=${title}`} at={at} onClose={onClose}>
      <Menu.Item
        leftSection={<IconEqual size={16} />}
        onClick={() => on.onFilter(field, value, false)}
      >
        Include
      </Menu.Item>
      <Menu.Item
        leftSection={<IconEqualNot size={16} />}
        onClick={() => on.onFilter(field, value, true)}
      >
        Exclude
      </Menu.Item>
      <Menu.Item leftSection={<IconFilter size={16} />} onClick={() => on.onOnly(field, value)}>
        Only this
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => on.onCopy(value)}>
        Copy
      </Menu.Item>
      <Menu.Item leftSection={<IconChartBar size={16} />} onClick={() => on.onStatistics(field)}>
        Top 20 values of {field}
      </Menu.Item>
    </MenuAt>
  );
}
