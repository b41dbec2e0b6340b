/** What the keys do with the row that has the focus, as in Search. */
import { type FocusEvent, useState } from 'react';
import type { Message } from '../api/model';
import type { ClickedValue } from '../messages/list/clicked';
import { valuesOf } from '../ui/message/fields';
import { useKeys } from '../ui/useKeys';
import type { Row } from './rows';

type Props = {
  rows: readonly Row[];
  /** Those that the cursor can stand on, from left to right. */
  fields: readonly string[];
  /** Before anything is done with a row: it must not move away. */
  onStart: () => void;
  onContext: (message: Message) => void;
  onCopyRaw: (message: Message) => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onMenu: (clicked: ClickedValue) => void;
};

export function useStreamKeys(props: Props) {
  const { rows, fields, onStart, onContext, onCopyRaw, onFilter, onMenu } = props;
  const [current, setCurrent] = useState<number | null>(null);
  const [fieldAt, setFieldAt] = useState(0);
  const field = fields[Math.min(fieldAt, fields.length - 1)];
  const step = (by: number) => () => {
    setFieldAt(Math.min(Math.max(fieldAt + by, 0), Math.max(fields.length - 1, 0)));
  };
  const withMessage = (then: (message: Message, row: Element) => void) => () => {
    const row = document.activeElement?.closest('[data-row]');
    const found = row == null ? undefined : rows.find(({ key }) => key === rowKeyOf(row));
    if (row == null || found?.kind !== 'message') return;
    setCurrent(found.key);
    onStart();
    then(found.message, row);
  };
  const withValue = (then: (name: string, value: string, row: Element) => void) =>
    withMessage((message, row) => {
      const value = field === undefined ? undefined : valuesOf(message, field)[0];
      if (field !== undefined && value !== undefined) then(field, value, row);
    });
  const menu = withValue((name, value, row) => {
    const at = row.querySelector('[data-cursor="true"]') ?? row;
    onMenu({ field: name, value, at: at.getBoundingClientRect() });
  });
  // Of several lists the one with the focus has the keys.
  const bind = (does: string, run: () => void) => (current === null ? { does } : { does, run });
  useKeys({
    h: bind('Value to the left', step(-1)),
    l: bind('Value to the right', step(1)),
    '+': bind(
      'Only messages with this value',
      withValue((name, value) => onFilter(name, value, false)),
    ),
    '-': bind(
      'Without messages with this value',
      withValue((name, value) => onFilter(name, value, true)),
    ),
    '.': bind('What can be done with this value', menu),
    c: bind('The messages around this one', withMessage(onContext)),
    y: bind('Copy the raw message', withMessage(onCopyRaw)),
  });
  return {
    current,
    field: field ?? null,
    onFocus: ({ target }: FocusEvent) => setCurrent(rowKeyOf(target)),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) setCurrent(null);
    },
  };
}

function rowKeyOf(target: Element): number | null {
  const key = target.closest<HTMLElement>('[data-row]')?.dataset['row'];
  return key === undefined ? null : Number(key);
}
