/** The draft of the router page with the server's opinion of it, and the actions that change it. */
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Validation } from '../api/model';
import { dismissToast, toast } from '../ui/toast';
import { type ItemPlace, type RouterDocument, idOf, readDocument } from './document';
import { type Content, type Draft, edited } from './draft/edits';
import { useDraft } from './draft/useDraft';
import { type Live, validationQuery } from './queries';
import type { RouterView } from './routerParams';
import type { Fix } from './testing/findings';
import { type TestMessages, useTesting } from './testing/useTesting';
import { type WorkbenchAction, reduceWorkbench } from './workbenchState';
import type { UndoAction } from './draft/undo';

/** The wait for the next key before the server is asked about a draft. */
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
    /** The draft as text; null while the server has not written it as such. */
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

/** The tests of the draft on history. */
function useDraftTests({ live, draft, document }: TestProps) {
  const content = draft?.content ?? null;
  const testing = useTesting(idOf((document ?? live.document).sources[0] ?? {}));
  return {
    testing,
    /** Whether the report is about the draft as it is. */
    isTested: content !== null && testing.tested?.content === content,
    testDraft: (messages?: TestMessages, on: Content | null = content) => {
      if (on === null) return;
      const tried = on.kind === 'document' ? on.document : (document ?? live.document);
      const revisions = { liveRevision: live.revision, baseRevision: draft?.base ?? live.revision };
      testing.try({ content: on, draft: tried, live: live.document, ...revisions }, messages);
    },
  };
}

/** The document that the forms show; null while the draft is a text that cannot be read. */
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
      // To undo would now take back something else.
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
