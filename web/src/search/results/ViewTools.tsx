/** How the results are shown: as lines or as a table, with which times and columns, and from when on. */
import {
  Button,
  type ButtonProps,
  Menu,
  Popover,
  SegmentedControl,
  TextInput,
} from '@mantine/core';
import { IconAdjustmentsHorizontal, IconClockPin, IconColumns } from '@tabler/icons-react';
import { type ComponentPropsWithRef, type ReactNode, type SyntheticEvent, useState } from 'react';
import type { Message } from '../../api/model';
import { momentText, parseMoment, useZone } from '../../ui/time';
import type { SearchState, Times, View } from '../searchParams';
import { ColumnPicker } from './ColumnPicker';
import { endAt } from './endAt';
import { useDensity } from './useDensity';
import { useFolding } from './useFolds';
import classes from './ViewTools.module.css';

type Props = {
  state: SearchState;
  messages: readonly Message[];
  onAsk: (part: Partial<SearchState>) => void;
  onChange: (part: Partial<SearchState>) => void;
};

const times: readonly { value: Times; label: string }[] = [
  { value: 'absolute', label: 'Time' },
  { value: 'relative', label: 'How long ago' },
  { value: 'device', label: 'Time of the sender’s clock' },
  { value: 'received', label: 'Time of receipt' },
];

export function ViewTools({ state, messages, onAsk, onChange }: Props) {
  return (
    <div className={classes.tools}>
      <SegmentedControl<View>
        aria-label="View"
        value={state.view}
        onChange={(view) => onChange({ view })}
        data={[
          { value: 'lines', label: 'Lines' },
          { value: 'table', label: 'Table' },
        ]}
      />
      {state.view === 'table' && <Columns state={state} messages={messages} onChange={onChange} />}
      <ViewMenu state={state} onChange={onChange} />
      <JumpToTime state={state} onAsk={onAsk} />
    </div>
  );
}

type ToolProps = ButtonProps &
  ComponentPropsWithRef<'button'> & { label: string; short?: string; icon: ReactNode };

/** Opens a menu or a popover, which sets what is in the rest of its properties. */
function Tool({ label, short = label, icon, ...target }: ToolProps) {
  return (
    <Button variant="subtle" color="gray" leftSection={icon} aria-label={label} {...target}>
      <span className={classes.label}>{short}</span>
    </Button>
  );
}

function Columns({ state, messages, onChange }: Omit<Props, 'onAsk'>) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus>
      <Popover.Target>
        <Tool label="Columns" icon={<IconColumns size={16} />} onClick={() => setOpened(!opened)} />
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns" p={8}>
        <ColumnPicker
          columns={state.columns}
          messages={messages}
          onColumns={(columns) => onChange({ columns })}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function ViewMenu({ state, onChange }: Pick<Props, 'state' | 'onChange'>) {
  const { density, setDensity } = useDensity();
  const [isFolding, setFolding] = useFolding();
  return (
    <Menu
      position="bottom-end"
      closeOnItemClick={false}
      withinPortal={false}
      floatingStrategy="fixed"
    >
      <Menu.Target>
        <Tool label="View options" short="View" icon={<IconAdjustmentsHorizontal size={16} />} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Times</Menu.Label>
        <Menu.RadioGroup
          value={state.times}
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
        <Menu.CheckboxItem checked={state.wrap} onChange={(wrap) => onChange({ wrap })}>
          Wrap long messages
        </Menu.CheckboxItem>
        <Menu.CheckboxItem
          checked={density === 'small'}
          onChange={(small) => setDensity(small ? 'small' : 'medium')}
        >
          Small rows
        </Menu.CheckboxItem>
        <Menu.CheckboxItem checked={isFolding} onChange={setFolding}>
          Fold repeats
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  );
}

function JumpToTime({ state, onAsk }: Pick<Props, 'state' | 'onAsk'>) {
  const [opened, setOpened] = useState(false);
  const [zone] = useZone();
  const [text, setText] = useState('');
  const moment = parseMoment(text, zone);
  const open = () => {
    setText(momentText(new Date().toISOString(), zone).slice(0, 19));
    setOpened(!opened);
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (moment === null) return;
    setOpened(false);
    onAsk({ range: endAt(state.range, moment, Date.now()) });
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus>
      <Popover.Target>
        <Tool label="Jump to time" short="Jump" icon={<IconClockPin size={16} />} onClick={open} />
      </Popover.Target>
      <Popover.Dropdown aria-label="Jump to time">
        <form className={classes.jump} onSubmit={submit}>
          <TextInput
            size="xs"
            label="Messages up to"
            description="Newest first from there, as 2026-01-31 15:04:05 or now-2h."
            spellCheck={false}
            value={text}
            error={
              text !== '' && moment === null && 'Write it as 2026-01-31 15:04:05, or as now-2h.'
            }
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={moment === null}>
            Jump there
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
