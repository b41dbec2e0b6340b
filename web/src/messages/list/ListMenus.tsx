/** The menus of a list: of a value that was clicked on, and of text that was selected. */
import { useEdit, valueEdit } from '../../ui/query/useEdit';
import { SelectionMenu, type SelectedText } from './SelectionMenu';
import { ValueMenu } from './ValueMenu';
import type { ClickedValue } from './clicked';

/** At most one of them is open. */
export type OpenMenu = { value: ClickedValue } | { text: SelectedText };

type Props = {
  open: OpenMenu | null;
  onClose: () => void;
  query: string;
  onQuery: (query: string) => void;
  /** `what` is what is said of it afterwards. */
  onCopy: (text: string, what: string) => void;
};

export function ListMenus({ open, onClose, query, onQuery, onCopy }: Props) {
  const edit = useEdit(query);
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
        selected={open !== null && 'text' in open ? open.text : null}
        onClose={onClose}
        onFilter={(part, exclude) =>
          edit([{ op: exclude ? 'exclude' : 'include', field: 'message', part }], onQuery)
        }
        onCopy={(text) => onCopy(text, 'the text')}
      />
    </>
  );
}
