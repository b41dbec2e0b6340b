/**
 * The header of the page: the live revision, the choice of the view, and the actions other than
 * editing.
 */
import { Button, SegmentedControl } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCode,
  IconHistory,
  IconList,
  IconRoute2,
  IconTransferIn,
  IconZoomScan,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { RouterStatus } from '../api/model';
import { IconButton } from '../ui/IconButton';
import { formatTime, useZone } from '../ui/time';
import type { Draft } from './draft/edits';
import type { UndoAction } from './draft/undo';
import type { DraftUndo } from './draft/useDraft';
import { type Live, revisionsQuery } from './queries';
import { type Mode, type RouterView, modes } from './routerParams';
import { address } from '../ui/open';
import classes from './RouterPage.module.css';

type Props = {
  live: Live;
  status: RouterStatus | undefined;
  view: RouterView;
  canEdit: boolean;
  isNarrow: boolean;
  undo: DraftUndo;
  onAct: (action: UndoAction<Draft | null>) => void;
  onShow: (part: Partial<RouterView>) => void;
};

export function PageHead({ live, status, view, canEdit, isNarrow, undo, onAct, onShow }: Props) {
  const [zone] = useZone();
  // A narrow window shows lists instead of the canvas.
  const offered = isNarrow ? modes.filter((mode) => mode !== 'canvas') : modes;
  const shown = isNarrow && view.mode === 'canvas' ? 'list' : view.mode;
  const { data: revisions } = useQuery(revisionsQuery);
  const { author, created_at: appliedAt } =
    revisions?.find(({ revision }) => revision === live.revision) ?? {};
  // Both are needed to distinguish a restart from an apply; until then nothing is shown.
  const since = liveSince(revisions && status?.applied_at, appliedAt);
  return (
    <header className={classes.head}>
      <h1>Router</h1>
      <span className="dimmed">
        <span>Revision {live.revision}, live</span>
        {since.applied !== undefined && (
          <span className="wideOnly">
            {' '}
            since {formatTime(since.applied, zone).slice(0, 16)}
            {author !== undefined && ` by ${author}`}
            {since.restarted !== undefined &&
              `; server restarted ${formatTime(since.restarted, zone).slice(0, 16)}`}
          </span>
        )}
        {!canEdit && '. Changing the router needs the operator or admin role.'}
      </span>
      <div className={classes.tools}>
        <SegmentedControl
          aria-label="View"
          value={shown}
          data={offered.map((mode) => ({
            value: mode,
            label: <ModeLabel mode={mode} />,
          }))}
          onChange={(mode) => onShow({ mode, isTest: false })}
        />
        {canEdit && (
          <>
            <IconButton
              icon={IconArrowBackUp}
              iconSize={18}
              label="Undo"
              disabled={undo.past.length === 0}
              onClick={() => onAct({ type: 'undo' })}
            />
            <IconButton
              icon={IconArrowForwardUp}
              iconSize={18}
              label="Redo"
              disabled={undo.future.length === 0}
              onClick={() => onAct({ type: 'redo' })}
            />
          </>
        )}
        <Button
          component="a"
          href={address('/send')}
          aria-label="Send logs"
          leftSection={<IconTransferIn size={16} />}
        >
          <span className="wideOnly">Send logs</span>
        </Button>
        <Button
          aria-label="Trace a message"
          leftSection={<IconZoomScan size={16} />}
          onClick={() => onShow({ trace: '', item: null, isTest: false })}
        >
          <span className="wideOnly">Trace a message</span>
        </Button>
        <Button
          aria-label="History"
          leftSection={<IconHistory size={16} />}
          onClick={() => onShow({ isHistory: true })}
        >
          <span className="wideOnly">History</span>
        </Button>
      </div>
    </header>
  );
}

const icons = { canvas: IconRoute2, list: IconList, text: IconCode };

function ModeLabel({ mode }: { mode: Mode }) {
  const Icon = icons[mode];
  return (
    <span className="inlineRow gap6">
      <Icon size={14} aria-hidden />
      <span>{mode.charAt(0).toUpperCase() + mode.slice(1)}</span>
    </span>
  );
}

/** The longest time that applying a revision may take. */
const APPLY_MS_MAX = 10_000;

type Since = { applied: string | undefined; restarted: string | undefined };

/**
 * `startedAt` is when the server started using the revision: when it was applied, or when the
 * server was started after that.
 */
export function liveSince(startedAt: string | undefined, appliedAt: string | undefined): Since {
  const isLater =
    startedAt !== undefined &&
    appliedAt !== undefined &&
    Date.parse(startedAt) - Date.parse(appliedAt) > APPLY_MS_MAX;
  return { applied: appliedAt ?? startedAt, restarted: isLater ? startedAt : undefined };
}
