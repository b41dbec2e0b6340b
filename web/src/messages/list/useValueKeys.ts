/**
 * The keys that Search and Tail share: moving between the values of a row, and the actions on them.
 */
import { useState } from 'react';
import type { Message } from '../../api/model';
import { valuesOf } from '../../ui/message/fields';
import type { KeyBindings } from '../../ui/useKeys';
import type { ClickedValue } from './click';

type CurrentRow = {
  message: Message;
  /** The element at which the menu of the value opens. */
  cell: Element | null | undefined;
};

type Props = {
  /** The fields that the cursor can be on, from left to right. */
  fields: readonly string[];
  /** The row with the cursor. Called when a key is pressed. */
  current: () => CurrentRow | undefined;
  /** Keys that are not enabled are only listed in the help. */
  enabled: boolean;
  onContext: (message: Message) => void;
  onCopyRaw: (message: Message) => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onMenu: (clicked: ClickedValue) => void;
  onNoValue?: (field: string) => void;
};

export function useValueKeys(props: Props) {
  const { fields, current, enabled, onContext, onCopyRaw, onFilter, onMenu, onNoValue } = props;
  const [fieldAt, setFieldAt] = useState(0);
  const last = Math.max(fields.length - 1, 0);
  const field = fields[Math.min(fieldAt, last)] ?? null;
  const step = (by: number) => setFieldAt(Math.min(Math.max(fieldAt + by, 0), last));
  const withMessage = (then: (message: Message) => void) => () => {
    const row = current();
    if (row !== undefined) then(row.message);
  };
  const withValue = (then: (name: string, value: string, row: CurrentRow) => void) => () => {
    const row = current();
    if (field === null) return;
    const value = row === undefined ? undefined : valuesOf(row.message, field)[0];
    if (row === undefined || value === undefined) onNoValue?.(field);
    else then(field, value, row);
  };
  const bind = (does: string, run: () => void) => (enabled ? { does, run } : { does });
  const keys: KeyBindings = {
    h: bind('Value to the left', () => step(-1)),
    l: bind('Value to the right', () => step(1)),
    '+': bind(
      'Only messages with this value',
      withValue((name, value) => onFilter(name, value, false)),
    ),
    '-': bind(
      'Without messages with this value',
      withValue((name, value) => onFilter(name, value, true)),
    ),
    '.': bind(
      'Actions for this value',
      withValue((name, value, { cell }) => {
        if (cell != null) onMenu({ field: name, value, at: cell.getBoundingClientRect() });
      }),
    ),
    c: bind('The messages around this one', withMessage(onContext)),
    y: bind('Copy the raw message', withMessage(onCopyRaw)),
  };
  return { field, step, keys };
}
