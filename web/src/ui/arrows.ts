/**
 * Arrow keys in a group with a single Tab stop: up and down move between rows, left and right
 * within one.
 */
import type { KeyboardEvent } from 'react';

/** The focusable elements, row after row. A row is an element with `data-row`. */
type Rows<Item> = readonly (readonly Item[])[];

/** The item that a key moves to; undefined if the key has no meaning. */
export function itemAfter<Item>(rows: Rows<Item>, item: Item, key: string): Item | undefined {
  const at = rows.findIndex((row) => row.includes(item));
  const row = rows[at] ?? [];
  const place = row.indexOf(item);
  switch (key) {
    case 'ArrowDown':
      return rows[at + 1]?.[0];
    case 'ArrowUp':
      return rows[at - 1]?.[0];
    case 'ArrowRight':
      return row[place + 1];
    case 'ArrowLeft':
      return row[place - 1];
    case 'Home':
      return rows[0]?.[0];
    case 'End':
      return rows.at(-1)?.[0];
    default:
      return undefined;
  }
}

export function onArrows(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: group, target, key } = event;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (!(target instanceof HTMLElement) || target instanceof HTMLInputElement) return;
  const rows = [...group.querySelectorAll('[data-row]')].map((row) => [
    ...row.querySelectorAll<HTMLElement>('button, [role="slider"]'),
  ]);
  const next = itemAfter(
    rows.filter((row) => row.length > 0),
    target,
    key,
  );
  if (next === undefined) return;
  next.focus();
  event.preventDefault();
  event.stopPropagation();
}
