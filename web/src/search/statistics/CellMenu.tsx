/** The menu of a table row: one menu, which opens at whatever was clicked. */
import { Menu } from '@mantine/core';
import {
  IconCopy,
  IconFilter,
  IconFilterOff,
  IconListSearch,
  IconZoomIn,
} from '@tabler/icons-react';
import type { Box } from './chart/layout';
import type { Drill } from './drill';

export type Asked = {
  at: Box;
  title: string;
  messages: Drill | null;
  only: Drill | null;
  without: Drill | null;
  zoom: Drill | null;
  copy: string | null;
};

type Props = {
  asked: Asked | null;
  onClose: () => void;
  onAsk: (drill: Drill) => void;
  onCopy: (text: string) => void;
};

export function CellMenu({ asked, onClose, onAsk, onCopy }: Props) {
  if (asked === null) return null;
  const { at, title, messages, only, without, zoom, copy } = asked;
  return (
    <Menu
      opened
      onClose={onClose}
      position="bottom-start"
      returnFocus
      withInitialFocusPlaceholder={false}
      portalProps={{ target: '#content' }}
    >
      <Menu.Target>
        <span aria-hidden style={{ position: 'fixed', pointerEvents: 'none', ...at }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={title}>
        <Menu.Label maw={360} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Menu.Label>
        {messages !== null && (
          <Menu.Item leftSection={<IconListSearch size={16} />} onClick={() => onAsk(messages)}>
            Show these messages
          </Menu.Item>
        )}
        {only !== null && (
          <Menu.Item leftSection={<IconFilter size={16} />} onClick={() => onAsk(only)}>
            Only this value
          </Menu.Item>
        )}
        {without !== null && (
          <Menu.Item leftSection={<IconFilterOff size={16} />} onClick={() => onAsk(without)}>
            Exclude this value
          </Menu.Item>
        )}
        {zoom !== null && (
          <Menu.Item leftSection={<IconZoomIn size={16} />} onClick={() => onAsk(zoom)}>
            Zoom to this time
          </Menu.Item>
        )}
        {copy !== null && (
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => onCopy(copy)}>
            Copy value
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
