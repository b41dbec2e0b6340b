/**
 * The router page once its document is loaded: three views of one draft, the form of an item, tests
 * and dialogs.
 */
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Group } from '@mantine/core';
import { isAway } from '../api/client';
import type { RouterChange, RouterStatus } from '../api/model';
import type { Trace } from '../api/query';
import { Failure, Notice } from '../ui/Notice';
import { InlineCode } from '../ui/InlineCode';
import { follow, useOpen } from '../ui/open';
import { formatRate } from '../ui/number';
import { PageHead } from './PageHead';
import { StartDialog } from './StartDialog';
import { Views } from './Views';
import { useMeasured } from './canvas/measure';
import { useShares } from './canvas/shares';
import { type ItemPlace, type RouterDocument, idOf, isSamePlace, itemAt } from './document';
import { DraftBar } from './draft/DraftBar';
import { HistoryDialog } from './history/HistoryDialog';
import type { KnownDocument } from './known';
import { placeOf } from './problems';
import { type Live, confirmRevision, rollBack } from './queries';
import type { DestinationTask, RouterView } from './routerParams';
import { TestPage } from './testing/TestPage';
import { testSummary } from './testing/testSummary';
import { TracePanel, passedIds } from './trace/TracePanel';
import { useRouterKeys } from './useRouterKeys';
import { type Workbench as Bench, useWorkbench } from './useWorkbench';
import { ListDialog } from './destination/ListDialog';
import { ReplayDialog } from './destination/ReplayDialog';
import { ItemPanel } from './ItemPanel';
import type { Content, Edit } from './draft/edits';
import { RouteEditor } from './editor/RouteEditor';
import classes from './RouterPage.module.css';

const NARROW = '(max-width: 720px)';

type Props = {
  live: Live;
  status: RouterStatus | undefined;
  statusError: Error | null;
  canEdit: boolean;
  view: RouterView;
  onChange: (view: RouterView) => void;
};

export function Workbench(props: Props) {
  const { live, status, statusError, canEdit, view } = props;
  const bench = useWorkbench(props);
  const open = useOpen();
  const [applied, setApplied] = useState<RouterChange | null>(null);
  const shares = useShares(status);
  const measured = useMeasured(status);
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const { draft, document, validationError, testing, dispatch, show } = bench;
  const { unconfirmed } = status ?? {};
  const isTesting = view.isTest && draft !== null;
  useRouterKeys({
    item: view.item,
    canEdit,
    onNew: () => dispatch({ type: 'add', section: 'routes' }),
    onMove: (place, to) => dispatch({ type: 'move', place, to }),
    onToggle: (place) => dispatch({ type: 'toggle', place }),
    onUndo: () => dispatch({ type: 'undo' }),
    onRedo: () => dispatch({ type: 'redo' }),
  });
  return (
    <div className="stack minHeight0 fullHeight" onClick={(event) => follow(event, open)}>
      {!isTesting && (
        <PageHead
          {...{ live, status, view, canEdit, isNarrow }}
          undo={bench.undo}
          onAct={bench.act}
          onShow={show}
        />
      )}
      <div className={classes.notices}>
        {statusError !== null && !isAway(statusError) && (
          <Notice tone="error" title={statusError.message} />
        )}
        <Failure error={validationError} />
        {unconfirmed != null && <UnconfirmedBanner unconfirmed={unconfirmed} canEdit={canEdit} />}
        {draft === null && applied?.revision === live.revision && <Applied change={applied} />}
      </div>
      {isTesting ? (
        <TestPage
          testing={testing}
          document={document ?? live.document}
          changes={bench.validation?.changes ?? []}
          logspaces={status?.logspaces ?? []}
          isCurrent={bench.isTested}
          onTry={(messages) => bench.testDraft(messages)}
          onFix={({ fix }) => fix !== null && bench.fixDraft(fix)}
          onShow={({ place }) => {
            if (place !== null) show({ isTest: false, item: place.item, step: place.step });
          }}
          onClose={() => show({ isTest: false })}
        />
      ) : (
        <Middle {...{ live, status, shares, measured, canEdit, view, bench, isNarrow }} />
      )}
      <Foot {...{ live, canEdit, view, bench }} onApplied={setApplied} />
      <Dialogs {...{ live, canEdit, view, bench }} />
    </div>
  );
}

type PartProps = Pick<Props, 'live' | 'canEdit' | 'view'> & { bench: Bench };

type MiddleProps = PartProps & {
  status: RouterStatus | undefined;
  shares: ReturnType<typeof useShares>;
  measured: ReturnType<typeof useMeasured>;
  isNarrow: boolean;
};

/** The document in one of its views, with the open panel beside it. */
function Middle(props: MiddleProps) {
  const { live, status, shares, measured, canEdit, view, bench, isNarrow } = props;
  const { draft, document, problems, warnings, dispatch, open, show } = bench;
  const [trace, setTrace] = useState<Trace | null>(null);
  const shared = { document, status, shares, measured, problems, warnings, view, canEdit };
  return (
    <div className="flex grow minHeight0 relative">
      <Views
        {...shared}
        live={live.document}
        text={bench.text}
        marks={draft?.content.kind === 'toml' ? problems : []}
        isNarrow={isNarrow}
        lit={view.trace === null || trace === null ? null : passedIds(trace)}
        onShow={open}
        onShowPath={(path) => open(placeOf(path))}
        onAdd={(section) => dispatch({ type: 'add', section })}
        actions={{
          onToggle: (place) => dispatch({ type: 'toggle', place }),
          onMove: (place, to) => dispatch({ type: 'move', place, to }),
          onRemove: (place) => dispatch({ type: 'remove', place }),
        }}
        onOpen={(task) => show({ open: task })}
        onWrite={(text) =>
          dispatch({ type: 'write', content: { kind: 'toml', text }, mark: 'text' })
        }
      />
      <SidePanel
        {...shared}
        live={live.document}
        draft={draft?.content ?? null}
        added={bench.added}
        onView={show}
        onEdit={(edit, mark = null) => dispatch({ type: 'edit', edit, mark })}
        onTrace={setTrace}
      />
    </div>
  );
}

function Foot(props: PartProps & { onApplied: (change: RouterChange) => void }) {
  const { live, canEdit, view, bench, onApplied } = props;
  const { draft, document, validation, testing, isTested, dispatch, show } = bench;
  const queryClient = useQueryClient();
  if (draft === null || !canEdit) return null;
  return (
    <DraftBar
      {...{ live, draft, document, validation }}
      isTesting={view.isTest}
      tested={isTested ? testSummary(testing) : null}
      onValidate={() => void queryClient.invalidateQueries({ queryKey: ['router', 'validation'] })}
      onTest={() => {
        show({ isTest: true });
        if (!isTested) bench.testDraft();
      }}
      onShow={(path) => bench.open(placeOf(path))}
      onMerged={(merged) => dispatch({ type: 'merge', draft: merged })}
      onDiscard={() => dispatch({ type: 'discard' })}
      onApplied={(change) => {
        dispatch({ type: 'applied' });
        onApplied(change);
      }}
    />
  );
}

function Dialogs({ live, canEdit, view, bench }: PartProps): ReactNode {
  const { document, dispatch, show } = bench;
  const { start } = view;
  return (
    <>
      {view.isHistory && (
        <HistoryDialog
          live={live}
          shown={view.revision}
          canEdit={canEdit}
          onShow={(revision) => show({ isHistory: true, revision })}
          onImport={(text) =>
            dispatch({
              type: 'write',
              content: { kind: 'toml', text },
              part: { isHistory: false, revision: null, mode: 'text' },
            })
          }
          onClose={() => show({ isHistory: false, revision: null })}
        />
      )}
      {start !== null && document !== null && canEdit && (
        <StartDialog
          key={start.kind}
          start={start}
          routes={document.routes.map(idOf)}
          onRoute={() => dispatch({ type: 'add', section: 'routes', where: start.query })}
          onMute={(route) => dispatch({ type: 'mute', route, query: start.query })}
          onClose={() => show({ start: null })}
        />
      )}
      {view.open !== null && (
        <TaskDialog {...view.open} canEdit={canEdit} onClose={() => show({ open: null })} />
      )}
    </>
  );
}

function Applied({ change }: { change: RouterChange }) {
  return (
    <Notice tone="info" title={`Revision ${change.revision} went live`}>
      {change.warnings.map((warning) => (
        <p key={warning.message}>
          <InlineCode text={warning.message} />
        </p>
      ))}
    </Notice>
  );
}

type TaskDialogProps = DestinationTask & { canEdit: boolean; onClose: () => void };

/** The dialog for a task on a destination. */
function TaskDialog({ task, id, canEdit, onClose }: TaskDialogProps) {
  switch (task) {
    case 'queue':
    case 'quarantine':
      return <ListDialog list={task} id={id} canEdit={canEdit} onClose={onClose} />;
    case 'replay':
      return <ReplayDialog id={id} onClose={onClose} />;
  }
}

type SidePanelProps = Omit<KnownDocument, 'document'> & {
  document: RouterDocument | null;
  draft: Content | null;
  view: RouterView;
  canEdit: boolean;
  /** The item that has just been added. */
  added: ItemPlace | null;
  onView: (part: Partial<RouterView>) => void;
  onEdit: (edit: Edit, mark?: string | null) => void;
  onTrace: (trace: Trace | null) => void;
};

/** The panel beside the views: the form of an item, or the path of a message. */
function SidePanel(props: SidePanelProps) {
  const { document, draft, status, problems, warnings, view, canEdit, onView, onEdit } = props;
  if (document === null || view.mode === 'text') return null;
  if (view.trace !== null) {
    return (
      <div className={classes.side}>
        <TracePanel
          key={view.trace}
          id={view.trace}
          document={document}
          draft={draft}
          onTrace={props.onTrace}
          onClose={() => onView({ trace: null })}
        />
      </div>
    );
  }
  const place = view.item;
  const item = place === null ? undefined : itemAt(document, place);
  if (place === null || item === undefined) return null;
  const isNew = isSamePlace(props.added, place);
  const close = () => onView({ item: null, step: null });
  return (
    <div className={classes.side}>
      {place.section === 'routes' ? (
        <RouteEditor
          // A new route may have the position of the one that was open before.
          key={`${place.index} ${String(isNew)}`}
          {...{ document, place, status, problems, warnings, canEdit, isNew, onEdit }}
          live={props.live}
          shares={props.shares}
          measured={props.measured}
          route={item}
          step={view.step}
          onStep={(step) => onView({ step })}
          onShow={(next) => onView({ item: next })}
          onClose={close}
        />
      ) : (
        <ItemPanel
          key={`${place.section}-${place.index}`}
          {...{ place, item, problems, status, canEdit, isNew, onEdit }}
          measured={props.measured}
          onClose={close}
          onOpen={(open) => onView({ open })}
        />
      )}
    </div>
  );
}

type Unconfirmed = NonNullable<RouterStatus['unconfirmed']>;

type UnconfirmedBannerProps = { unconfirmed: Unconfirmed; canEdit: boolean };

/**
 * A revision that is rolled back automatically unless confirmed: the time left, the traffic since
 * then, and the decision.
 */
function UnconfirmedBanner({ unconfirmed, canEdit }: UnconfirmedBannerProps) {
  const { revision, back_to, until, health } = unconfirmed;
  const queryClient = useQueryClient();
  const now = useNow();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['router'] });
  const confirm = useMutation({ mutationFn: confirmRevision, onSettled });
  const back = useMutation({
    mutationFn: () => rollBack(back_to, `revision ${revision} was not confirmed`),
    onSettled,
  });
  const error = confirm.error ?? back.error;
  const worse = health?.worse ?? [];
  return (
    <Notice
      tone={worse.length > 0 ? 'caution' : 'info'}
      title={`Revision ${revision} is live until it is confirmed: back to revision ${back_to} in ${countdown(Date.parse(until) - now)}`}
    >
      {worse.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {health != null && worse.length === 0 && (
        <p>
          Nothing is worse than before
          {health.before != null &&
            `: ${formatRate(health.after.received)}/s received, ${formatRate(health.before.received)}/s before`}
          .
        </p>
      )}
      {error !== null && <p role="alert">{error.message}</p>}
      {canEdit && (
        <Group gap={8} mt={8}>
          <Button variant="filled" loading={confirm.isPending} onClick={() => confirm.mutate()}>
            Confirm
          </Button>
          <Button loading={back.isPending} onClick={() => back.mutate()}>
            Go back now
          </Button>
        </Group>
      )}
    </Notice>
  );
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const two = (number: number) => String(number).padStart(2, '0');
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}
