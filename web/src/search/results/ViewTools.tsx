/** The view options of the messages: their times and columns, whether they wrap, and the time to start from. */
import { Button, Menu, Popover, TextInput } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconClockPin, IconColumns } from '@tabler/icons-react';
import { Suspense, lazy, memo, useState } from 'react';
import { Form } from '../../ui/Form';
import { fetched } from '../../api/code';
import type { Message } from '../../api/model';
import { useCommands } from '../../ui/commands';
import { momentText, parseMoment, useZone } from '../../ui/time';
import type { Times } from '../../ui/message/times';
import type { SearchState } from '../searchParams';
import { endAt } from './endAt';
import { ViewItems } from '../../messages/list/ViewItems';
import classes from './ViewTools.module.css';

const ColumnPicker = lazy(async () => ({
  default: (await fetched(() => import('../../messages/list/ColumnPicker'))).ColumnPicker,
}));

type Props = {
  state: SearchState;
  messages: readonly Message[];
  /** The icon has to do without its word; with little room it is in the menu of everything else. */
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

export const ViewTools = memo(function ViewTools(props: Props) {
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
      // The button within says itself that it opens a menu.
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

type MenuProps = Pick<Props, 'room' | 'onChange'> & {
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
          className={classes.view ?? ''}
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
        <Menu.Item closeMenuOnClick leftSection={<IconColumns size={16} />} onClick={onColumns}>
          Columns…
        </Menu.Item>
        <Menu.Item closeMenuOnClick leftSection={<IconClockPin size={16} />} onClick={onJump}>
          Jump to time…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
});

type JumpProps = Pick<Props, 'state' | 'onAsk'> & { onDone: () => void };

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
    <Form className={classes.jump} onSubmit={submit}>
      <TextInput
        size="xs"
        data-autofocus
        label="Messages up to"
        description="Newest first from there, as 2026-01-31 15:04:05 or now-2h."
        spellCheck={false}
        value={text}
        error={text !== '' && moment === null && 'Write it as 2026-01-31 15:04:05, or as now-2h.'}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={moment === null}>
        Jump
      </Button>
    </Form>
  );
}
