/** How much fits into the toolbar: words, signs alone, or little more than the menus. */
export type Room = 'words' | 'signs' | 'little';

const WORDS_PX = 860;
const SIGNS_PX = 620;

/** Before anything is measured there is room: most windows have it. */
export function roomOf(width: number): Room {
  if (width === 0 || width >= WORDS_PX) return 'words';
  return width >= SIGNS_PX ? 'signs' : 'little';
}
