/** The menu for text that was selected in a row. */
import { Menu } from '@mantine/core';
import { IconCopy, IconEqual, IconEqualNot, IconForms } from '@tabler/icons-react';
import { MenuItem } from '../../ui/MenuItem';
import { cut, visible } from '../../ui/message/text';
import { MenuAt } from './MenuAt';

const TITLE_CHARACTERS_MAX = 60;
/**
 * Maximum length of a selection for the menu; longer ones are probably meant to be copied, which
 * the browser can do.
 */
const SELECTED_CHARACTERS_MAX = 200;

export type SelectedText = {
  text: string;
  at: DOMRect;
  /** The value of `data-row` on its row. */
  row: number;
  /** The length of the text before it in its cell. */
  offset: number;
};

type Props = {
  selected: SelectedText | null;
  onClose: () => void;
  onFilter: (text: string, exclude: boolean) => void;
  onCopy: (text: string) => void;
  /** Undefined if no pattern finds the text. */
  onExtract: (() => void) | undefined;
};

export function SelectionMenu({ selected, onClose, onFilter, onCopy, onExtract }: Props) {
  if (selected === null) return null;
  const { text, at } = selected;
  const title = `“${visible(cut(text, TITLE_CHARACTERS_MAX).text)}”`;
  return (
    <MenuAt title={title} at={at} onClose={onClose}>
      <MenuItem
        icon={IconEqual}
        label="Only messages with this text"
        onClick={() => onFilter(text, false)}
      />
      <MenuItem
        icon={IconEqualNot}
        label="Exclude this text"
        onClick={() => onFilter(text, true)}
      />
      {onExtract !== undefined && (
        <MenuItem icon={IconForms} label="Extract as field…" onClick={onExtract} />
      )}
      <Menu.Divider />
      <MenuItem icon={IconCopy} label="Copy" onClick={() => onCopy(text)} />
    </MenuAt>
  );
}

/**
 * The text selected within one cell of the list; null if nothing is selected, or more than one
 * cell.
 */
export function selectedIn(
  list: HTMLElement | null,
  selection: Selection | null,
): SelectedText | null {
  if (list === null || selection === null || selection.isCollapsed) return null;
  const cells = [selection.anchorNode, selection.focusNode].map((node) => cellOf(node));
  const [cell] = cells;
  if (cell == null || cells[1] !== cell || !list.contains(cell)) return null;
  const text = selection.toString().trim();
  if (text === '' || text.length > SELECTED_CHARACTERS_MAX || text.includes('\n')) return null;
  const range = selection.getRangeAt(0);
  const row = Number(cell.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? NaN);
  const at = range.getBoundingClientRect();
  return { text, at, row, offset: lengthBefore(cell, range) };
}

function lengthBefore(cell: Element, { startContainer, startOffset }: Range): number {
  const before = document.createRange();
  before.selectNodeContents(cell);
  before.setEnd(startContainer, startOffset);
  return before.toString().length;
}

function cellOf(node: Node | null): Element | null {
  const element = node instanceof Element ? node : (node?.parentElement ?? null);
  return element?.closest('[data-row] [role="cell"]') ?? null;
}
