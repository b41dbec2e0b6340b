/** The keys of the router page. They apply to the focused card, or else to the open item. */
import { type KeyBindings, useKeys } from '../ui/useKeys';
import type { ItemPlace } from './document';
import { isSection } from './sections';

type Props = {
  item: ItemPlace | null;
  canEdit: boolean;
  onNew: () => void;
  onMove: (place: ItemPlace, to: number) => void;
  onToggle: (place: ItemPlace) => void;
  onUndo: () => void;
  onRedo: () => void;
};

export function useRouterKeys({ item, canEdit, onMove, onToggle, ...props }: Props): void {
  const withRoute = (run: (place: ItemPlace) => void) => () => {
    const place = focusedCard() ?? item;
    if (place?.section === 'routes') run(place);
  };
  const step = (by: number) =>
    withRoute((place) => {
      onMove(place, place.index + by);
      // A card belongs to a position, so the focus is moved along with the route.
      focusCard({ ...place, index: place.index + by });
    });
  const edits: KeyBindings = {
    n: { does: 'New route', run: props.onNew },
    d: {
      does: 'Turn a source, route or destination off or on',
      run: () => {
        const place = focusedCard() ?? item;
        if (place !== null && place.section !== 'logspaces') onToggle(place);
      },
    },
    'Alt-ArrowUp': { does: 'Move the route up', run: step(-1) },
    'Alt-ArrowDown': { does: 'Move the route down', run: step(1) },
    'Mod-z': { does: 'Undo', run: props.onUndo },
    'Mod-Z': { does: 'Redo', run: props.onRedo },
  };
  useKeys({ ArrowDown: { does: 'Go from card to card' }, ...(canEdit ? edits : {}) });
}

export function focusCard({ section, index }: ItemPlace): void {
  document.querySelector<HTMLElement>(`[data-card="${section}-${index}"]`)?.focus();
}

function focusedCard(): ItemPlace | null {
  const card = document.activeElement?.closest<HTMLElement>('[data-card]');
  const [section = '', index = ''] = (card?.dataset['card'] ?? '').split('-');
  return isSection(section) ? { section, index: Number(index) } : null;
}
