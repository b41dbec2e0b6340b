/** The target of a click in a list. The rows themselves have no listeners. */
import type { MouseEvent } from 'react';

export type ClickedValue = { field: string; value: string; at: DOMRect };

export type ListClick = {
  /** The value of `data-row` on the row. */
  row: number;
  on: { kind: 'fold' } | { kind: 'value'; value: ClickedValue } | { kind: 'rest' };
};

/** Null if the click is not in a row, or was made to select text. */
export function clickedIn({ target, shiftKey }: MouseEvent): ListClick | null {
  const isText = getSelection()?.isCollapsed === false && !shiftKey;
  if (!(target instanceof Element) || isText) return null;
  const row = Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? NaN);
  if (Number.isNaN(row)) return null;
  if (target.closest('[data-fold]') !== null) return { row, on: { kind: 'fold' } };
  const value = target.closest<HTMLElement>('[data-field]');
  return { row, on: value === null ? { kind: 'rest' } : { kind: 'value', value: valueIn(value) } };
}

function valueIn(element: HTMLElement): ClickedValue {
  const { field = '', value = '' } = element.dataset;
  return { field, value, at: element.getBoundingClientRect() };
}
