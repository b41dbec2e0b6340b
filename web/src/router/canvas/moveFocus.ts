/**
 * Arrow keys move from card to card: up and down within a column, left and right to the nearest
 * card of the next column.
 */
import type { KeyboardEvent } from 'react';

/** The card that has the focus now; null if the key has no meaning here. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): string | null {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const from = (event.target as HTMLElement).closest<HTMLElement>('[data-card]');
  if (from === null) return null;
  const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-card]')];
  const next = nextCard(from, cards, event.key);
  if (next === undefined) return null;
  event.preventDefault();
  next.focus({ preventScroll: true });
  return next.dataset['card'] ?? null;
}

function nextCard(from: HTMLElement, cards: readonly HTMLElement[], key: string) {
  const here = from.getBoundingClientRect();
  const places = cards.map((card) => ({ card, box: card.getBoundingClientRect() }));
  const column = places.filter(({ box }) => Math.abs(box.x - here.x) < 1);
  const at = column.findIndex(({ card }) => card === from);
  if (key === 'ArrowDown') return column[at + 1]?.card;
  if (key === 'ArrowUp') return column[at - 1]?.card;
  const side = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  if (side === 0) return undefined;
  const beyond = places.filter(({ box }) => (box.x - here.x) * side > 1);
  const nearest = Math.min(...beyond.map(({ box }) => Math.abs(box.x - here.x)));
  return beyond
    .filter(({ box }) => Math.abs(box.x - here.x) < nearest + 1)
    .sort((a, b) => Math.abs(a.box.y - here.y) - Math.abs(b.box.y - here.y))[0]?.card;
}
