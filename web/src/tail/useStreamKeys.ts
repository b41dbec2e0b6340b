/** The keys for the row of a tail that has the focus. */
import { type FocusEvent, useState } from 'react';
import { useValueKeys } from '../messages/list/useValueKeys';
import { useKeys } from '../ui/useKeys';
import type { Row } from './rows';

type Props = Omit<Parameters<typeof useValueKeys>[0], 'current' | 'enabled' | 'onNoValue'> & {
  rows: readonly Row[];
  /** Called before anything is done with a row, which must not move away. */
  onStart: () => void;
};

export function useStreamKeys({ rows, onStart, ...rest }: Props) {
  const [current, setCurrent] = useState<number | null>(null);
  const { field, keys } = useValueKeys({
    ...rest,
    // If there are several lists, the one with the focus has the keys.
    enabled: current !== null,
    current: () => {
      const row = document.activeElement?.closest('[data-row]');
      const found = row == null ? undefined : rows.find(({ key }) => key === rowKeyOf(row));
      if (row == null || found?.kind !== 'message') return undefined;
      setCurrent(found.key);
      onStart();
      return { message: found.message, cell: row.querySelector('[data-cursor="true"]') ?? row };
    },
  });
  useKeys(keys);
  return {
    current,
    field,
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
