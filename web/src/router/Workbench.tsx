/** The router page once its document is known: three views of one draft, its forms, and what is done with it. */
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isAway } from '../api/client';
import type { RouterChange, RouterStatus, Validation } from '../api/model';
import { Notice } from '../ui/Notice';
import { Ticked } from '../ui/Ticked';
import { follow, useOpen } from '../ui/open';
import { PageHead } from './PageHead';
import { SidePanel } from './SidePanel';
import { StartDialog } from './StartDialog';
import { Views } from './Views';
import { TaskDialog } from './destination/TaskDialog';
import {
  type ItemPlace,
  type RouterDocument,
  type Section,
  idOf,
  isOff,
  itemAt,
  nounOf,
  readDocument,
} from './document';
import { useMeasured } from './canvas/useMeasured';
import { useShares } from './canvas/useShares';
import { DraftBar } from './draft/DraftBar';
import { UnconfirmedBanner } from './draft/UnconfirmedBanner';
import { type Content, type Draft, type Edit, addIndex, edited, freeId } from './draft/edits';
import { newTargets } from './draft/newTargets';
import { useDraft } from './draft/useDraft';
import { useOfferedUndo } from './draft/useOfferedUndo';
import { newItem } from './fields';
import { HistoryDialog } from './history/HistoryDialog';
import { placeOf } from './problems';
import { type Live, validationQuery } from './queries';
import type { RouterView } from './routerParams';
import { TestPage } from './testing/TestPage';
import { type Messages, useTesting } from './testing/useTesting';
import { testedText } from './testing/tested';
import type { Trace } from '../api/trace';
import { litBy } from './trace/litBy';
import { useRouterKeys } from './useRouterKeys';
import classes from './RouterPage.module.css';

/** How long the page waits for the next key before it asks the server about a draft. */
const VALIDATE_WAIT_MS = 300;

const NARROW = '(max-width: 720px)';

type Props = {
  live: Live;
  status: RouterStatus | undefined;
  statusError: Error | null;
  canEdit: boolean;
  view: RouterView;
  onChange: (view: RouterView) => void;
};

export function Workbench({ live, status, statusError, canEdit, view, onChange }: Props) {
  const queryClient = useQueryClient();
  const open = useOpen();
  const [undo, onAct] = useDraft();
  const [act, offerUndo] = useOfferedUndo(onAct);
  const [applied, setApplied] = useState<RouterChange | null>(null);
  const [added, setAdded] = useState<ItemPlace | null>(null);
  const [trace, setTrace] = useState<Trace | null>(null);
  const draft = undo.present;
  const content = draft?.content ?? null;
  const [settled] = useDebouncedValue(content, VALIDATE_WAIT_MS);
  const validation = useQuery(validationQuery(content === null ? null : settled));
  const opinion = content === null ? undefined : validation.data;
  const problems = opinion?.problems ?? [];
  const ofLive = useQuery(
    validationQuery(content === null ? { kind: 'toml', text: live.toml } : null),
  );
  const warnings = (content === null ? ofLive.data : opinion)?.warnings ?? [];
  const document = documentOf(draft, opinion, live);
  const shares = useShares(status);
  const measured = useMeasured(status);
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const testing = useTesting(idOf((document ?? live.document).sources[0] ?? {}));

  const show = (part: Partial<RouterView>) => onChange({ ...view, ...part });
  const showItem = (item: ItemPlace | null) => {
    setAdded(null);
    show({ item, step: null, trace: null, mode: view.mode === 'text' ? 'canvas' : view.mode });
  };
  const write = (next: Content, mark: string | null) =>
    act({
      type: 'edit',
      state: { base: draft?.base ?? live.revision, content: next },
      mark,
    });
  const edit = (change: Edit, mark: string | null = null) => {
    if (document === null || !canEdit) return;
    write({ kind: 'document', document: edited(document, change) }, mark);
    if (change.type === 'remove') {
      const { section } = change.place;
      const name = idOf(itemAt(document, change.place) ?? {});
      offerUndo(`${nounOf(section)} ${name} is removed from the draft`);
    }
  };
  const add = (section: Section, part = {}) => {
    if (document === null || !canEdit) return;
    const id = freeId(document, nounOf(section).toLowerCase());
    const targets = section === 'routes' ? { to: newTargets(live.document, document) } : {};
    edit({ type: 'add', section, item: { ...newItem(section, id), ...targets, ...part } });
    const item = { section, index: addIndex(document, section) };
    setAdded(item);
    onChange({
      ...view,
      mode: view.mode === 'text' ? 'canvas' : view.mode,
      item,
      step: null,
      start: null,
    });
  };
  const move = (place: ItemPlace, to: number) => {
    const count = document?.[place.section].length ?? 0;
    if (to < 0 || to >= count) return;
    setAdded(null);
    edit({ type: 'move', place, to });
    if (view.item?.section === place.section) show({ item: { ...place, index: to } });
  };
  const toggle = (place: ItemPlace) => {
    const value = isOff(itemAt(document ?? live.document, place) ?? {}) ? undefined : false;
    edit({ type: 'set', place, key: 'enabled', value });
  };
  const remove = (place: ItemPlace) => {
    // What is open may be what stands behind it.
    if (view.item?.section === place.section) show({ item: null, step: null });
    edit({ type: 'remove', place });
  };
  const tryDraft = (messages?: Messages, on: Content | null = content) => {
    if (on === null) return;
    const tried = on.kind === 'document' ? on.document : (document ?? live.document);
    const revisions = { liveRevision: live.revision, baseRevision: draft?.base ?? live.revision };
    testing.try({ content: on, draft: tried, live: live.document, ...revisions }, messages);
  };
  const isTesting = view.isTest && content !== null;
  const isTested = content !== null && testing.tested?.content === content;
  useRouterKeys({
    item: view.item,
    canEdit,
    onNew: () => add('routes'),
    onMove: move,
    onToggle: toggle,
    onUndo: () => act({ type: 'undo' }),
    onRedo: () => act({ type: 'redo' }),
  });

  return (
    <div className={classes.page} onClick={(event) => follow(event, open)}>
      {!isTesting && (
        <PageHead
          live={live}
          status={status}
          view={view}
          canEdit={canEdit}
          isNarrow={isNarrow}
          undo={undo}
          onAct={act}
          onShow={show}
        />
      )}
      <div className={classes.notices}>
        {statusError !== null && !isAway(statusError) && (
          <Notice tone="error" title={statusError.message} />
        )}
        {validation.error !== null && content !== null && (
          <Notice tone="error" title={validation.error.message} />
        )}
        {status?.unconfirmed != null && (
          <UnconfirmedBanner unconfirmed={status.unconfirmed} canEdit={canEdit} />
        )}
        {draft === null && applied !== null && applied.revision === live.revision && (
          <Applied change={applied} />
        )}
      </div>
      {isTesting ? (
        <TestPage
          testing={testing}
          document={document ?? live.document}
          changes={opinion?.changes ?? []}
          logspaces={status?.logspaces ?? []}
          isCurrent={isTested}
          onTry={(messages) => tryDraft(messages)}
          onFix={({ fix }) => {
            if (fix === null || document === null || !canEdit) return;
            const fixed = fix.edits.reduce(edited, document);
            const next: Content = { kind: 'document', document: fixed };
            write(next, null);
            tryDraft(undefined, next);
          }}
          onShow={({ place }) => {
            if (place !== null) show({ isTest: false, item: place.item, step: place.step });
          }}
          onClose={() => show({ isTest: false })}
        />
      ) : (
        <div className={classes.middle}>
          <Views
            {...{ document, status, shares, problems, warnings, view, canEdit, isNarrow }}
            text={textOf(draft, opinion, live)}
            marks={content?.kind === 'toml' ? problems : []}
            lit={view.trace === null || trace === null ? null : litBy(trace)}
            onShow={showItem}
            onShowPath={(path) => showItem(placeOf(path))}
            onAdd={add}
            live={live.document}
            measured={measured}
            actions={{ onToggle: toggle, onMove: move, onRemove: remove }}
            onOpen={(open) => show({ open })}
            onWrite={(text) => write({ kind: 'toml', text }, 'text')}
          />
          <SidePanel
            {...{ document, status, shares, measured, problems, warnings, view, canEdit, added }}
            live={live.document}
            draft={content}
            onView={show}
            onEdit={edit}
            onTrace={setTrace}
          />
        </div>
      )}
      {draft !== null && canEdit && (
        <DraftBar
          live={live}
          draft={draft}
          document={document}
          validation={opinion}
          isTesting={view.isTest}
          tested={isTested ? testedText(testing) : null}
          onValidate={() =>
            void queryClient.invalidateQueries({ queryKey: ['router', 'validation'] })
          }
          onTest={() => {
            show({ isTest: true });
            if (!isTested) tryDraft();
          }}
          onShow={(path) => showItem(placeOf(path))}
          onMerged={(state) => {
            act({ type: 'edit', state, mark: null });
            // The merge may have moved what stood there.
            show({ item: null, step: null });
          }}
          onDiscard={() => {
            act({ type: 'edit', state: null, mark: null });
            offerUndo('The draft is discarded');
            // What stands at that place in the live document is another item.
            show({ isTest: false, item: null, step: null });
          }}
          onApplied={(change) => {
            act({ type: 'reset', state: null });
            setApplied(change);
            show({ isTest: false });
          }}
        />
      )}
      {view.isHistory && (
        <HistoryDialog
          live={live}
          shown={view.revision}
          canEdit={canEdit}
          onShow={(revision) => show({ isHistory: true, revision })}
          onImport={(text) => {
            write({ kind: 'toml', text }, null);
            show({ isHistory: false, revision: null, mode: 'text' });
          }}
          onClose={() => show({ isHistory: false, revision: null })}
        />
      )}
      {view.start !== null && document !== null && canEdit && (
        <StartDialog
          key={view.start.kind}
          start={view.start}
          routes={document.routes.map(idOf)}
          onRoute={() => add('routes', { where: view.start?.query ?? '' })}
          onMute={(index) => {
            const route = document.routes[index] ?? {};
            const steps = Array.isArray(route['steps']) ? route['steps'] : [];
            const value = [...steps, { drop: view.start?.query ?? '' }];
            const place = { section: 'routes', index } as const;
            edit({ type: 'set', place, key: 'steps', value });
            show({ start: null, item: place, step: steps.length });
          }}
          onClose={() => show({ start: null })}
        />
      )}
      {view.open !== null && (
        <TaskDialog {...view.open} canEdit={canEdit} onClose={() => show({ open: null })} />
      )}
    </div>
  );
}

function Applied({ change }: { change: RouterChange }) {
  return (
    <Notice tone="info" title={`Revision ${change.revision} went live`}>
      {change.warnings.map((warning) => (
        <p key={warning}>
          <Ticked text={warning} />
        </p>
      ))}
    </Notice>
  );
}

/** What the forms show; null while the draft is a text that cannot be read. */
function documentOf(
  draft: Draft | null,
  opinion: Validation | undefined,
  live: Live,
): RouterDocument | null {
  if (draft === null) return live.document;
  if (draft.content.kind === 'document') return draft.content.document;
  return opinion?.document === undefined ? null : readDocument(opinion.document);
}

/** What the text editor shows; null while the server has not written the draft as text. */
function textOf(draft: Draft | null, opinion: Validation | undefined, live: Live): string | null {
  if (draft === null) return live.toml;
  if (draft.content.kind === 'toml') return draft.content.text;
  return opinion?.toml ?? null;
}
