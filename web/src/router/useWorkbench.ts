/**
 * The draft of the router page with the server's validation of it, and the actions that change it.
 */
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Validation } from '../api/model';
import { dismissToast, toast } from '../ui/toast';
import {
  type ItemPlace,
  type RouterDocument,
  type Section,
  idOf,
  isOff,
  itemAt,
  nouns,
  readDocument,
} from './document';
import {
  type Content,
  type Draft,
  type Edit,
  addIndex,
  edited,
  freeId,
  newTargets,
} from './draft/edits';
import { useDraft } from './draft/useDraft';
import { type Live, validationQuery } from './queries';
import type { RouterView } from './routerParams';
import type { Fix } from './testing/findings';
import { type TestMessages, useTesting } from './testing/useTesting';
import type { UndoAction } from './draft/undo';
import { newItem } from './fields';

/** The time without a key press after which the server validates a draft. */
const VALIDATE_WAIT_MS = 300;

type Props = {
  live: Live;
  canEdit: boolean;
  view: RouterView;
  onChange: (view: RouterView) => void;
};

export type Workbench = ReturnType<typeof useWorkbench>;

export function useWorkbench({ live, canEdit, view, onChange }: Props) {
  const [undo, onAct] = useDraft();
  const [act, offerUndo] = useOfferedUndo(onAct);
  const [added, setAdded] = useState<ItemPlace | null>(null);
  const draft = undo.present;
  const content = draft?.content ?? null;
  const [settled] = useDebouncedValue(content, VALIDATE_WAIT_MS);
  const { data, error } = useQuery(validationQuery(content === null ? null : settled));
  const ofLive = useQuery(
    validationQuery(content === null ? { kind: 'toml', text: live.toml } : null),
  );
  const validation = content === null ? undefined : data;
  const document = documentOf(draft, validation, live);
  const dispatch = (action: WorkbenchAction) => {
    const change = reduceWorkbench({ live, draft, document, view, canEdit }, action);
    if (change.draft !== undefined) act(change.draft);
    if (change.offer !== undefined) offerUndo(change.offer);
    if (change.added !== undefined) setAdded(change.added);
    if (change.view !== undefined) onChange({ ...view, ...change.view });
  };
  const tests = useDraftTests({ live, draft, document });
  return {
    undo,
    act,
    draft,
    document,
    /** The draft as text; null until the server has converted it. */
    text: textOf(draft, validation, live),
    added,
    validation,
    validationError: content === null ? null : error,
    problems: validation?.problems ?? [],
    warnings: (content === null ? ofLive.data : validation)?.warnings ?? [],
    dispatch,
    show: (part: Partial<RouterView>) => dispatch({ type: 'view', part }),
    open: (item: ItemPlace | null) => dispatch({ type: 'open', item }),
    ...tests,
    fixDraft: ({ edits }: Fix) => {
      if (document === null || !canEdit) return;
      const fixed: Content = { kind: 'document', document: edits.reduce(edited, document) };
      dispatch({ type: 'write', content: fixed });
      tests.testDraft(undefined, fixed);
    },
  };
}

type TestProps = Pick<Props, 'live'> & { draft: Draft | null; document: RouterDocument | null };

/** The tests of the draft on stored messages. */
function useDraftTests({ live, draft, document }: TestProps) {
  const content = draft?.content ?? null;
  const testing = useTesting(idOf((document ?? live.document).sources[0] ?? {}));
  return {
    testing,
    /** Whether the report is for the current draft. */
    isTested: content !== null && testing.tested?.content === content,
    testDraft: (messages?: TestMessages, on: Content | null = content) => {
      if (on === null) return;
      const tried = on.kind === 'document' ? on.document : (document ?? live.document);
      const revisions = { liveRevision: live.revision, baseRevision: draft?.base ?? live.revision };
      testing.try({ content: on, draft: tried, live: live.document, ...revisions }, messages);
    },
  };
}

/** The document that the forms show; null while the draft is a text that cannot be parsed. */
function documentOf(
  draft: Draft | null,
  validation: Validation | undefined,
  live: Live,
): RouterDocument | null {
  if (draft === null) return live.document;
  if (draft.content.kind === 'document') return draft.content.document;
  return validation?.document === undefined ? null : readDocument(validation.document);
}

function textOf(draft: Draft | null, validation: Validation | undefined, live: Live) {
  if (draft === null) return live.toml;
  if (draft.content.kind === 'toml') return draft.content.text;
  return validation?.toml ?? null;
}

type Act = (action: UndoAction<Draft | null>) => void;

/**
 * Offers to take back what was just removed, until something else is done with the draft. Acts on
 * the draft, and does so saying it, with the way back.
 */
function useOfferedUndo(onAct: Act): readonly [Act, (said: string) => void] {
  const offered = useRef<number | null>(null);
  const withdraw = useCallback(() => {
    if (offered.current !== null) dismissToast(offered.current);
    offered.current = null;
  }, []);
  useEffect(() => withdraw, [withdraw]);
  const act = useCallback<Act>(
    (action) => {
      // Undo would now revert a different edit.
      withdraw();
      onAct(action);
    },
    [onAct, withdraw],
  );
  const offer = useCallback(
    (said: string) => {
      const action = { label: 'Undo', run: () => act({ type: 'undo' }) };
      offered.current = toast({ tone: 'info', title: said, action });
    },
    [act],
  );
  return [act, offer];
}

export type WorkbenchState = {
  live: { revision: number; document: RouterDocument };
  draft: Draft | null;
  /** The draft or the live document; null while the draft is a text that cannot be parsed. */
  document: RouterDocument | null;
  view: RouterView;
  canEdit: boolean;
};

export type WorkbenchAction =
  | { type: 'view'; part: Partial<RouterView> }
  | { type: 'open'; item: ItemPlace | null }
  | { type: 'write'; content: Content; mark?: string; part?: Partial<RouterView> }
  | { type: 'edit'; edit: Edit; mark?: string | null }
  | { type: 'add'; section: Section; where?: string }
  | { type: 'move'; place: ItemPlace; to: number }
  | { type: 'toggle'; place: ItemPlace }
  | { type: 'remove'; place: ItemPlace }
  /** Adds a step to a route that drops what matches the query. */
  | { type: 'mute'; route: number; query: string }
  | { type: 'merge'; draft: Draft }
  | { type: 'discard' }
  /** The draft went live. */
  | { type: 'applied' }
  | { type: 'undo' }
  | { type: 'redo' };

/** A change of the state. Parts that stay the same are left out. */
export type WorkbenchChange = {
  draft?: UndoAction<Draft | null>;
  view?: Partial<RouterView>;
  /** The item that is marked as new. */
  added?: ItemPlace | null;
  /** The text of the offer to undo. */
  offer?: string;
};

/**
 * The actions of the router page: how each changes the draft, the view in the address, and the item that is marked as
 * new. Pure; `useWorkbench` carries the changes out.
 */
export function reduceWorkbench(state: WorkbenchState, action: WorkbenchAction): WorkbenchChange {
  const { view } = state;
  switch (action.type) {
    case 'view':
      return { view: action.part };
    case 'open':
      return {
        added: null,
        view: { item: action.item, step: null, trace: null, ...asItems(view) },
      };
    case 'write':
      return {
        draft: written(state, action.content, action.mark ?? null),
        ...(action.part !== undefined && { view: action.part }),
      };
    case 'edit':
      return edit(state, action.edit, action.mark ?? null);
    case 'add':
      return add(state, action.section, action.where);
    case 'move':
      return move(state, action.place, action.to);
    case 'toggle': {
      const { document, live } = state;
      const item = itemAt(document ?? live.document, action.place) ?? {};
      const value = isOff(item) ? undefined : false;
      return edit(state, { type: 'set', place: action.place, key: 'enabled', value });
    }
    case 'remove': {
      // The open item may be a later one, which moves to this position.
      const isOpen = view.item?.section === action.place.section;
      const change = edit(state, { type: 'remove', place: action.place });
      return { ...change, ...(isOpen && { view: { item: null, step: null } }) };
    }
    case 'mute':
      return mute(state, action.route, action.query);
    case 'merge':
      return {
        draft: { type: 'edit', state: action.draft, mark: null },
        // The merge may have moved the item at this position.
        view: { item: null, step: null },
      };
    case 'discard':
      return {
        draft: { type: 'edit', state: null, mark: null },
        offer: 'The draft is discarded',
        // In the live document, another item may be at this position.
        view: { isTest: false, item: null, step: null },
      };
    case 'applied':
      return { draft: { type: 'reset', state: null }, view: { isTest: false } };
    case 'undo':
    case 'redo':
      return { draft: action };
  }
}

function edit(state: WorkbenchState, change: Edit, mark: string | null = null): WorkbenchChange {
  const { document, canEdit } = state;
  if (document === null || !canEdit) return {};
  const draft = written(state, { kind: 'document', document: edited(document, change) }, mark);
  if (change.type !== 'remove') return { draft };
  const name = idOf(itemAt(document, change.place) ?? {});
  return { draft, offer: `${nouns[change.place.section]} ${name} is removed from the draft` };
}

function add(state: WorkbenchState, section: Section, where?: string): WorkbenchChange {
  const { document, live, view, canEdit } = state;
  if (document === null || !canEdit) return {};
  const item = {
    ...newItem(section, freeId(document, nouns[section].toLowerCase())),
    ...(section === 'routes' && { to: newTargets(live.document, document) }),
    ...(where !== undefined && { where }),
  };
  const place = { section, index: addIndex(document, section) };
  return {
    ...edit(state, { type: 'add', section, item }),
    added: place,
    view: { item: place, step: null, start: null, ...asItems(view) },
  };
}

function move(state: WorkbenchState, place: ItemPlace, to: number): WorkbenchChange {
  const count = state.document?.[place.section].length ?? 0;
  if (to < 0 || to >= count) return {};
  const isOpen = state.view.item?.section === place.section;
  return {
    ...edit(state, { type: 'move', place, to }),
    added: null,
    ...(isOpen && { view: { item: { ...place, index: to } } }),
  };
}

function mute(state: WorkbenchState, index: number, query: string): WorkbenchChange {
  const place = { section: 'routes', index } as const;
  const { steps } = state.document?.routes[index] ?? {};
  const before = Array.isArray(steps) ? steps : [];
  const value = [...before, { drop: query }];
  return {
    ...edit(state, { type: 'set', place, key: 'steps', value }),
    view: { start: null, item: place, step: before.length },
  };
}

function written({ draft, live }: WorkbenchState, content: Content, mark: string | null) {
  return {
    type: 'edit',
    state: { base: draft?.base ?? live.revision, content },
    mark,
  } as const;
}

/** The text view has no items to open, so the canvas is shown instead. */
function asItems({ mode }: RouterView): Pick<RouterView, 'mode'> {
  return { mode: mode === 'text' ? 'canvas' : mode };
}
