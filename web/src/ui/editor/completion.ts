/** The list of suggestions below an editor's cursor: its keys and its look. */
import {
  acceptCompletion,
  completionStatus,
  currentCompletions,
  selectedCompletion,
  selectedCompletionIndex,
  setSelectedCompletion,
} from '@codemirror/autocomplete';
import { EditorView } from '@codemirror/view';

const TYPING_REST_MS = 120;
const OPTIONS_SHOWN = 10;

/** The options of the completion list, which all editors share. */
export const listOptions = {
  activateOnTypingDelay: TYPING_REST_MS,
  selectOnOpen: false,
  // Only a chosen suggestion is accepted, so no delay is needed against accidents: Tab works as soon as the list
  // opens.
  interactionDelay: 0,
  icons: false,
  // The list never scrolls: it moves with the selection, and needs no focus of its own.
  maxRenderedOptions: OPTIONS_SHOWN,
  defaultKeymap: false,
};

/**
 * Accepts a suggestion that was selected with the arrow keys; without a selection, the list is left
 * as it is.
 */
export function acceptChosen(view: EditorView): boolean {
  return selectedCompletion(view.state) !== null && acceptCompletion(view);
}

/** If no list is open, Tab leaves the field, as in every other field. */
export function acceptFirst(view: EditorView): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  if (selectedCompletion(view.state) === null) view.dispatch({ effects: setSelectedCompletion(0) });
  return acceptCompletion(view);
}

/** Moves the selection, wrapping around at the ends of the list. */
export function moveIn(view: EditorView, step: 1 | -1): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  const count = currentCompletions(view.state).length;
  const at = selectedCompletionIndex(view.state);
  const next = at === null ? (step === 1 ? 0 : count - 1) : (at + step + count) % count;
  view.dispatch({ effects: setSelectedCompletion(next) });
  return true;
}

/** The element for the text beside a suggestion. */
export function detailElement(text: string): Node {
  const detail = document.createElement('span');
  detail.className = 'cm-offerDetail';
  detail.textContent = text;
  return detail;
}

export const listLook = EditorView.theme({
  '.cm-tooltip': {
    overflow: 'hidden',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    backgroundColor: 'var(--surface)',
    color: 'var(--mantine-color-text)',
    boxShadow: 'var(--mantine-shadow-md)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: '320px',
    maxWidth: 'min(640px, 90vw)',
    maxHeight: 'none',
    overflow: 'hidden',
    padding: '4px',
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '12px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'center',
    gap: '8px',
    minHeight: '28px',
    padding: '0 8px 0 4px',
    borderRadius: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--open)',
    color: 'var(--mantine-color-text)',
    boxShadow: 'inset 2px 0 0 var(--accent)',
  },
  '.cm-completionLabel': {
    flex: '1',
    minWidth: '0',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.cm-completionDetail': { display: 'none' },
  '.cm-offerDetail': {
    flex: 'none',
    maxWidth: '50%',
    overflow: 'hidden',
    color: 'var(--mantine-color-dimmed)',
    fontFamily: 'var(--mantine-font-family)',
    fontVariantNumeric: 'tabular-nums',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
});

/** The suggestions at the cursor of an editor. */
export type Offer = {
  label: string;
  insert: string;
  /** A sentence about it. */
  detail: string;
  /** Whether there are further suggestions after it. */
  leadsOn: boolean;
};

/** `insert` replaces the characters from `from` to `to`. */
export type Offers = { from: number; to: number; options: readonly Offer[] };

/** Null if there are no suggestions. */
export type OffersAt = (text: string, cursor: number) => Offers | null;
