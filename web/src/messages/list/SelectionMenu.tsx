/** What can be done with a piece of text that was selected in a row. */
import { Menu } from '@mantine/core';
import { IconCopy, IconEqual, IconEqualNot } from '@tabler/icons-react';
import { cut, visible } from '../../ui/message/text';
import { MenuAt } from './MenuAt';

const TITLE_CHARACTERS_MAX = 60;
/** Who selects more wants to copy it, and the browser can do that. */
const SELECTED_CHARACTERS_MAX = 200;

export type SelectedText = { text: string; at: DOMRect };

type Props = {
  selected: SelectedText | null;
  onClose: () => void;
  onFilter: (text: string, exclude: boolean) => void;
  onCopy: (text: string) => void;
};

export function SelectionMenu({ selected, onClose, onFilter, onCopy }: Props) {
  if (selected === null) return null;
  const { text, at } = selected;
  const title = `“${visible(cut(text, TITLE_CHARACTERS_MAX).text)}”`;
  return (
    <MenuAt title={title} at={at} onClose={onClose}>
      <Menu.Item leftSection={<IconEqual size={16} />} onClick={() => onFilter(text, false)}>
        Only messages with this text
      </Menu.Item>
      <Menu.Item leftSection={<IconEqualNot size={16} />} onClick={() => onFilter(text, true)}>
        Exclude this text
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => onCopy(text)}>
        Copy
      </Menu.Item>
    </MenuAt>
  );
}

/** What is selected within one cell of the list; null where nothing is, or more than that. */
export function selectedIn(list: HTMLElement | null, selection: Selection | null) {
  if (list === null || selection === null || selection.isCollapsed) return null;
  const cells = [selection.anchorNode, selection.focusNode].map((node) => cellOf(node));
  const [cell] = cells;
  if (cell == null || cells[1] !== cell || !list.contains(cell)) return null;
  const text = selection.toString().trim();
  if (text === '' || text.length > SELECTED_CHARACTERS_MAX || text.includes('\n')) return null;
  return { text, at: selection.getRangeAt(0).getBoundingClientRect() };
}

function cellOf(node: Node | null): Element | null {
  const element = node instanceof Element ? node : (node?.parentElement ?? null);
  return element?.closest('[data-row] [role="cell"]') ?? null;
}
