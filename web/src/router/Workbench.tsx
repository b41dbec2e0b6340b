/** The router page once its document is known: three views of one draft, the form of an item, tests and dialogs. */
import { useMediaQuery } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isAway } from '../api/client';
import type { RouterChange, RouterStatus } from '../api/model';
import type { Trace } from '../api/query';
import { Notice } from '../ui/Notice';
import { InlineCode } from '../ui/InlineCode';
import { follow, useOpen } from '../ui/open';
import { PageHead } from './PageHead';
import { SidePanel } from './SidePanel';
import { StartDialog } from './StartDialog';
import { Views } from './Views';
import { useMeasured } from './canvas/measure';
import { useShares } from './canvas/shares';
import { idOf } from './document';
import { DraftBar } from './draft/DraftBar';
import { UnconfirmedBanner } from './draft/UnconfirmedBanner';
import { HistoryDialog } from './history/HistoryDialog';
import { placeOf } from './problems';
import type { Live } from './queries';
import type { DestinationTask, RouterView } from './routerParams';
import { TestPage } from './testing/TestPage';
import { testSummary } from './testing/testSummary';
import { passedIds } from './trace/TracePanel';
import { useRouterKeys } from './useRouterKeys';
import { type Workbench as Bench, useWorkbench } from './useWorkbench';
import { ListDialog } from './destination/ListDialog';
import { ReplayDialog } from './destination/ReplayDialog';
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
    <div className={classes.page} onClick={(event) => follow(event, open)}>
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
        {validationError !== null && <Notice tone="error" title={validationError.message} />}
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

/** The document in one of its views, and beside it what is open. */
function Middle(props: MiddleProps) {
  const { live, status, shares, measured, canEdit, view, bench, isNarrow } = props;
  const { draft, document, problems, warnings, dispatch, open, show } = bench;
  const [trace, setTrace] = useState<Trace | null>(null);
  const shared = { document, status, shares, measured, problems, warnings, view, canEdit };
  return (
    <div className={classes.middle}>
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
        <p key={warning}>
          <InlineCode text={warning} />
        </p>
      ))}
    </Notice>
  );
}

type TaskDialogProps = DestinationTask & { canEdit: boolean; onClose: () => void };

/** The dialog of what is done about a destination. */
function TaskDialog({ task, id, canEdit, onClose }: TaskDialogProps) {
  switch (task) {
    case 'queue':
    case 'quarantine':
      return <ListDialog list={task} id={id} canEdit={canEdit} onClose={onClose} />;
    case 'replay':
      return <ReplayDialog id={id} onClose={onClose} />;
  }
}
