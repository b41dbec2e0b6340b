/**
 * The bar between the histogram and the results: how these are shown, how many there are, and the
 * actions on them.
 */
import { useCallbackRef, useElementSize } from '@mantine/hooks';
import { type ReactNode, Suspense, memo, useState } from 'react';
import { Button, Menu, Popover, Tooltip } from '@mantine/core';
import {
  IconAdjustmentsHorizontal,
  IconClockPin,
  IconColumns,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
} from '@tabler/icons-react';
import { lazyPart } from '../../api/code';
import type { Message, SearchResult } from '../../api/model';
import { Switcher } from '../../ui/Fields';
import { MenuItem } from '../../ui/MenuItem';
import { TextField } from '../../ui/Fields';
import { useCommands } from '../../ui/commands';
import { canRefresh } from '../../ui/range';
import { splitStages } from '../../ui/query/lexer';
import type { View } from '../../messages/messageState';
import { formatCount, formatMessages, formatShort } from '../../ui/number';
import { Form } from '../../ui/Form';
import { momentText, parseMoment, useZone } from '../../ui/time';
import type { Times } from '../../ui/message/times';
import { ViewItems } from '../../messages/list/ViewItems';
import type { SearchState } from '../searchParams';
import { endAt } from '../results/endAt';
import { Actions, type ToolbarRoom, toolbarRoom } from './Actions';
import { CopiesLeftOut, withCopies } from './CopiesLeftOut';
import type { Search } from './useSearch';
import type { SearchActions } from './useSearchActions';
import classes from './Toolbar.module.css';
import viewToolsClasses from '../results/ViewTools.module.css';

const SavedState = lazyPart(() => import('../saved/SavedState'), 'SavedState');

type Props = {
  state: SearchState;
  search: Search;
  steps: SearchActions;
  messages: readonly Message[];
  hasStages: boolean;
  /** The histogram, collapsed into this line if the window is low. */
  bars?: ReactNode;
};

export function Toolbar({ state, search, steps, messages, hasStages, bars }: Props) {
  const { ref, width } = useElementSize();
  const room = toolbarRoom(width);
  return (
    <>
      <div ref={ref} role="toolbar" aria-label="Results" className={classes.frame} data-room={room}>
        <ModeSwitch state={state} hasStages={hasStages} steps={steps} />
        <ResultCount search={search} room={room} onCopies={() => steps.edit([withCopies])} />
        {bars !== undefined && <div className="grow minWidth0">{bars}</div>}
        <div className={classes.tools}>
          {!hasStages && (
            <ViewTools
              state={state}
              messages={messages}
              room={room}
              onAsk={steps.ask}
              onChange={steps.show}
            />
          )}
          <Actions state={state} room={room} onAsk={steps.ask} onChange={steps.show} />
          <LiveButton state={state} search={search} room={room} onChange={steps.show} />
        </div>
      </div>
      {state.saved !== '' && (
        <Suspense>
          <SavedState state={state} onAsk={steps.ask} />
        </Suspense>
      )}
    </>
  );
}

type LiveButtonProps = {
  state: SearchState;
  search: Search;
  room: ToolbarRoom;
  onChange: (part: Partial<SearchState>) => void;
};

/** Whether new messages are shown as they arrive. */
function LiveButton({ state, search, room, onChange }: LiveButtonProps) {
  const isOn = state.refresh !== 'off';
  const can = canRefresh(state.range);
  const toggle = () => onChange({ refresh: isOn ? 'off' : 'live' });
  useCommands(
    can ? [{ id: 'live', title: isOn ? 'Stop live updates' : 'Live updates', run: toggle }] : [],
  );
  return (
    <Button
      variant={isOn ? 'light' : 'default'}
      aria-label="Live"
      aria-pressed={isOn && can}
      disabled={!can}
      px={room === 'little' ? 8 : 12}
      leftSection={room === 'little' ? undefined : <Sign isOn={isOn && can} search={search} />}
      title={titleOf(state, search)}
      onClick={toggle}
    >
      {room === 'little' ? <Sign isOn={isOn && can} search={search} /> : 'Live'}
    </Button>
  );
}

function Sign({ isOn, search }: { isOn: boolean; search: Search }) {
  if (!isOn) return <IconPlayerPlayFilled size={12} aria-hidden />;
  if (search.paused) return <IconPlayerPauseFilled size={12} aria-hidden />;
  return <span className={classes.pulse} aria-hidden />;
}

function titleOf({ range, refresh, open }: SearchState, { paused }: Search): string {
  if (!canRefresh(range)) return 'This range has ended: nothing new can come.';
  if (refresh === 'off') return 'Show new messages as they come in';
  if (paused) return `Paused while ${open === null ? 'scrolled' : 'a message is open'}`;
  return refresh === 'live' ? 'Stop live updates' : `Refreshes every ${refresh} s. Click to stop.`;
}

type ModeSwitchProps = {
  state: SearchState;
  /**
   * Whether the query has stages: they make a table of their own, which can be shown as a chart.
   */
  hasStages: boolean;
  steps: SearchActions;
};

type Mode = View | 'chart';

/** The stages of a chart for a query that does not choose one. */
const CHART = '| timechart count() by severity';

/**
 * Lines, a table, or a chart of the counts. It comes first and keeps its width, so that it never
 * moves.
 */
function ModeSwitch({ state, hasStages, steps }: ModeSwitchProps) {
  const change = useCallbackRef((mode: Mode) => {
    if (mode === 'chart') steps.edit([{ op: 'add', text: CHART }]);
    else if (hasStages) steps.ask({ view: mode, query: splitStages(state.query).filter.trim() });
    else steps.show({ view: mode });
  });
  return <Modes mode={hasStages ? 'chart' : state.view} onChange={change} />;
}

type ModesProps = { mode: Mode; onChange: (mode: Mode) => void };

const Modes = memo(function Modes({ mode, onChange }: ModesProps) {
  return (
    <Switcher
      label="View"
      value={mode}
      texts={{ lines: 'Lines', table: 'Table', chart: 'Chart' }}
      onChange={onChange}
    />
  );
});

type ResultCountProps = {
  search: Search;
  room: ToolbarRoom;
  /** Counts copies as well. */
  onCopies: () => void;
};

/** The number of messages, whether it is complete, and the time it took to find them. */
function ResultCount({ search, room, onCopies }: ResultCountProps) {
  // The tooltip shows the exact number.
  const format = room === 'little' ? formatShort : formatCount;
  const { total, counting, answered, summary, stale } = search;
  const isPartial = answered !== undefined && !answered.coverage.complete;
  const text = (
    <span className={classes.count}>
      {total === undefined && counting && <small>Counting…</small>}
      {total !== undefined && (
        <span>
          {format(total)} <small>{total === 1 ? 'message' : 'messages'}</small>
        </span>
      )}
      {isPartial && <small className={classes.partial}>incomplete</small>}
    </span>
  );
  return (
    <>
      {answered === undefined || total === undefined ? (
        text
      ) : (
        <Tooltip label={tookText(answered, summary?.took_ms)} multiline maw={320}>
          {text}
        </Tooltip>
      )}
      {!stale && <CopiesLeftOut copies={summary?.copies} onShow={onCopies} />}
    </>
  );
}

type Answered = Pick<SearchResult, 'took_ms' | 'coverage'>;

/** The text for the time of an answer: rows and counts are two answers with a time each. */
export function tookText({ took_ms: rowsMs, coverage }: Answered, countsMs?: number): string {
  const counted = countsMs === undefined ? '' : `, counted in ${formatMs(countsMs)}`;
  const looked = [
    `${formatCount(coverage.segments)} segments`,
    `${formatCount(coverage.journal_batches)} batches`,
  ].join(' and ');
  return (
    `Found in ${formatMs(rowsMs)}${counted}: searched ${looked}, ` +
    `read ${formatMessages(coverage.scanned_messages)} one by one.`
  );
}

function formatMs(ms: number): string {
  return ms < 1 ? 'less than 1 ms' : `${formatCount(Math.round(ms))} ms`;
}

const ColumnPicker = lazyPart(() => import('../../messages/list/ColumnPicker'), 'ColumnPicker');

type ViewToolsProps = {
  state: SearchState;
  messages: readonly Message[];
  /** With little room, the icon has no label, or is in the menu with all other actions. */
  room: 'words' | 'signs' | 'little';
  onAsk: (part: Partial<SearchState>) => void;
  onChange: (part: Partial<SearchState>) => void;
};

/** The panel that the menu opens. */
type Panel = 'columns' | 'jump';

const times: readonly { value: Times; label: string }[] = [
  { value: 'absolute', label: 'Time' },
  { value: 'relative', label: 'Age' },
  { value: 'device', label: 'Time of the sender’s clock' },
  { value: 'received', label: 'Time of receipt' },
];

/** The view options of the messages: times, columns, wrapping, and the time to jump to. */
const ViewTools = memo(function ViewTools(props: ViewToolsProps) {
  const { state, messages, room, onAsk, onChange } = props;
  const [panel, setPanel] = useState<Panel | null>(null);
  const close = () => setPanel(null);
  const columns = useCallbackRef(() => {
    if (state.view !== 'table') onChange({ view: 'table' });
    setPanel('columns');
  });
  const jump = useCallbackRef(() => setPanel('jump'));
  useCommands([
    { id: 'columns', title: 'Columns', words: 'fields table', run: columns },
    { id: 'jump', title: 'Jump to time', run: jump },
  ]);
  return (
    <Popover
      opened={panel !== null}
      onChange={close}
      position="bottom-end"
      trapFocus
      returnFocus
      // The button inside already states that it opens a menu.
      withRoles={false}
    >
      <Popover.Target>
        <span>
          <ViewMenu
            times={state.times}
            wrap={state.wrap}
            room={room}
            onChange={onChange}
            onColumns={columns}
            onJump={jump}
          />
        </span>
      </Popover.Target>
      <Popover.Dropdown
        role="dialog"
        aria-label={panel === 'columns' ? 'Columns' : 'Jump to time'}
        p={12}
      >
        {panel === 'columns' && (
          <Suspense>
            <ColumnPicker
              columns={state.columns}
              messages={messages}
              onColumns={(chosen) => onChange({ columns: chosen })}
            />
          </Suspense>
        )}
        {panel === 'jump' && <JumpToTime state={state} onAsk={onAsk} onDone={close} />}
      </Popover.Dropdown>
    </Popover>
  );
});

type MenuProps = Pick<ViewToolsProps, 'room' | 'onChange'> & {
  times: Times;
  wrap: boolean;
  onColumns: () => void;
  onJump: () => void;
};

const ViewMenu = memo(function ViewMenu(props: MenuProps) {
  const { times: shown, wrap, room, onChange, onColumns, onJump } = props;
  return (
    <Menu
      position="bottom-end"
      closeOnItemClick={false}
      withinPortal={false}
      floatingStrategy="fixed"
    >
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          className="padX10 soft"
          leftSection={room === 'words' && <IconAdjustmentsHorizontal size={16} />}
          aria-label="View options"
        >
          {room === 'words' ? 'View' : <IconAdjustmentsHorizontal size={16} />}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Times</Menu.Label>
        <Menu.RadioGroup
          value={shown}
          onChange={(value) => {
            const chosen = times.find((one) => one.value === value)?.value;
            if (chosen !== undefined) onChange({ times: chosen });
          }}
        >
          {times.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <ViewItems wrap={wrap} onWrap={(next) => onChange({ wrap: next })} />
        <Menu.Divider />
        <MenuItem icon={IconColumns} label="Columns…" closeMenuOnClick onClick={onColumns} />
        <MenuItem icon={IconClockPin} label="Jump to time…" closeMenuOnClick onClick={onJump} />
      </Menu.Dropdown>
    </Menu>
  );
});

type JumpProps = Pick<ViewToolsProps, 'state' | 'onAsk'> & { onDone: () => void };

function JumpToTime({ state, onAsk, onDone }: JumpProps) {
  const [zone] = useZone();
  const [text, setText] = useState(() => momentText(new Date().toISOString(), zone).slice(0, 19));
  const moment = parseMoment(text, zone);
  const submit = () => {
    if (moment === null) return;
    onDone();
    onAsk({ range: endAt(state.range, moment, Date.now()) });
  };
  return (
    <Form className={viewToolsClasses.jump} onSubmit={submit}>
      <TextField
        size="xs"
        data-autofocus
        label="Messages up to"
        description="Newest first from there, as 2026-01-31 15:04:05 or now-2h."
        value={text}
        error={text !== '' && moment === null && 'Write it as 2026-01-31 15:04:05, or as now-2h.'}
        onChange={setText}
      />
      <Button type="submit" disabled={moment === null}>
        Jump
      </Button>
    </Form>
  );
}
