/** The menus of a list: for a value that was clicked, and for text that was selected. */
import { Suspense, useState } from 'react';
import { Menu } from '@mantine/core';
import { IconChartBar, IconCopy, IconEqual, IconEqualNot, IconFilter } from '@tabler/icons-react';
import { lazyPart } from '../../api/code';
import type { Message } from '../../api/model';
import { MenuItem } from '../../ui/MenuItem';
import { knownFields } from '../../ui/message/fields';
import { useEdit, valueEdit } from '../../ui/query/useEdit';
import { cut, visible } from '../../ui/message/text';
import { SelectionMenu, type SelectedText } from './SelectionMenu';
import type { ClickedValue } from './click';
import { type Proposal, placeIn, proposalFor } from './extract/proposal';
import { MenuAt } from './MenuAt';

const ExtractDialog = lazyPart(() => import('./extract/ExtractDialog'), 'ExtractDialog');

/** The open menu; at most one is open. */
export type OpenMenu = { value: ClickedValue } | { text: SelectedText };

/** The field that is being extracted, with the messages that were loaded when that began. */
type Extracted = { proposal: Proposal; messages: readonly Message[] };

type Props = {
  open: OpenMenu | null;
  onClose: () => void;
  query: string;
  /** The loaded messages; the following function returns the message of a row. */
  loaded: () => readonly Message[];
  messageOf: (row: number) => Message | undefined;
  onQuery: (query: string) => void;
  /** `what` describes the text in the notification afterwards. */
  onCopy: (text: string, what: string) => void;
};

export function ListMenus(props: Props) {
  const { open, onClose, query, loaded, messageOf, onQuery, onCopy } = props;
  const edit = useEdit(query);
  const [extracted, setExtracted] = useState<Extracted | null>(null);
  const selected = open !== null && 'text' in open ? open.text : null;
  const proposal = selected === null ? null : proposalOf(selected, messageOf(selected.row));
  return (
    <>
      <ValueMenu
        clicked={open !== null && 'value' in open ? open.value : null}
        onClose={onClose}
        onFilter={(field, value, exclude) => edit([valueEdit(field, value, exclude)], onQuery)}
        onOnly={(field, value) => edit([{ op: 'only', field, value }], onQuery)}
        onCopy={(text) => onCopy(text, 'the value')}
        onStatistics={(field) => edit([{ op: 'top', field }], onQuery)}
      />
      <SelectionMenu
        selected={selected}
        onClose={onClose}
        onFilter={(part, exclude) =>
          edit([{ op: exclude ? 'exclude' : 'include', field: 'message', part }], onQuery)
        }
        onCopy={(text) => onCopy(text, 'the text')}
        onExtract={
          proposal === null ? undefined : () => setExtracted({ proposal, messages: loaded() })
        }
      />
      {extracted !== null && (
        <Suspense>
          <ExtractDialog
            {...extracted}
            query={query}
            onQuery={onQuery}
            onClose={() => setExtracted(null)}
          />
        </Suspense>
      )}
    </>
  );
}

/**
 * A pattern for the selected text; null if the text does not occur in the message as sent, or no
 * pattern finds it.
 */
function proposalOf(selected: SelectedText, message: Message | undefined): Proposal | null {
  if (message === undefined) return null;
  const { text, offset } = selected;
  const at = placeIn(message.message, text, offset);
  return at === null ? null : proposalFor(message.message, at, at + text.length, knownFields);
}

const TITLE_CHARACTERS_MAX = 80;

type ValueMenuProps = {
  clicked: ClickedValue | null;
  onClose: () => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onOnly: (field: string, value: string) => void;
  onCopy: (text: string) => void;
  onStatistics: (field: string) => void;
};

/** The menu for a value that was clicked in a row. */
function ValueMenu({ clicked, onClose, ...on }: ValueMenuProps) {
  if (clicked === null) return null;
  const { field, value, at } = clicked;
  const title = visible(cut(value, TITLE_CHARACTERS_MAX).text);
  return (
    <MenuAt title={`${field}=${title}`} at={at} onClose={onClose}>
      <MenuItem icon={IconEqual} label="Include" onClick={() => on.onFilter(field, value, false)} />
      <MenuItem
        icon={IconEqualNot}
        label="Exclude"
        onClick={() => on.onFilter(field, value, true)}
      />
      <MenuItem icon={IconFilter} label="Only this" onClick={() => on.onOnly(field, value)} />
      <Menu.Divider />
      <MenuItem icon={IconCopy} label="Copy" onClick={() => on.onCopy(value)} />
      <MenuItem
        icon={IconChartBar}
        label={`Top 20 values of ${field}`}
        onClick={() => on.onStatistics(field)}
      />
    </MenuAt>
  );
}
