/** Chooses which stretch of time is searched, and in which zone times are read and written. */
import { Button, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { IconChevronDown, IconClock } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import {
  type Zone,
  formatTime,
  fromInputValue,
  toInputValue,
  useZone,
  zoneLabel,
} from '../ui/time';
import { type TimeRange, presets } from './searchParams';
import bar from './QueryBar.module.css';
import classes from './TimeRangePicker.module.css';

type Props = { range: TimeRange; onChange: (range: TimeRange) => void };

export function TimeRangePicker({ range, onChange }: Props) {
  const [opened, setOpened] = useState(false);
  const [zone, setZone] = useZone();
  const choose = (chosen: TimeRange) => {
    setOpened(false);
    onChange(chosen);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          className={bar.picker ?? ''}
          leftSection={<IconClock size={16} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`Time range: ${rangeLabel(range, zone)}`}
          onClick={() => setOpened(!opened)}
        >
          {rangeLabel(range, zone)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Time range">
        <div className={classes.panes}>
          <ul className={classes.presets}>
            {presets.map(({ span, label }) => (
              <li key={span}>
                <Preset
                  label={label}
                  chosen={range.kind === 'last' && range.span === span}
                  onChoose={() => choose({ kind: 'last', span })}
                />
              </li>
            ))}
            <li>
              <Preset
                label="All time"
                chosen={range.kind === 'all'}
                onChoose={() => choose({ kind: 'all' })}
              />
            </li>
          </ul>
          <div className={classes.absolute}>
            <AbsoluteRange key={zone} range={range} zone={zone} onChoose={choose} />
            <div className={classes.zone}>
              <span className="dimmed">Zone: {zoneLabel(zone, new Date())}</span>
              <SegmentedControl
                aria-label="Zone"
                value={zone}
                onChange={setZone}
                data={[
                  { value: 'local', label: 'Local' },
                  { value: 'utc', label: 'UTC' },
                ]}
              />
            </div>
          </div>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function Preset(props: { label: string; chosen: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      className={classes.preset}
      aria-pressed={props.chosen}
      onClick={props.onChoose}
    >
      {props.label}
    </button>
  );
}

type AbsoluteProps = { range: TimeRange; zone: Zone; onChoose: (range: TimeRange) => void };

function AbsoluteRange({ range, zone, onChoose }: AbsoluteProps) {
  const between = range.kind === 'between' ? range : { from: null, to: null };
  const [from, setFrom] = useState(toInputValue(between.from ?? '', zone));
  const [to, setTo] = useState(toInputValue(between.to ?? '', zone));
  const backwards = from !== '' && to !== '' && from >= to;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onChoose({ kind: 'between', from: fromInputValue(from, zone), to: fromInputValue(to, zone) });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        type="datetime-local"
        step={1}
        size="xs"
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        step={1}
        size="xs"
        label="To"
        description="Not included; empty means no end"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={to}
        error={backwards && 'Must be later than From'}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={backwards || (from === '' && to === '')}>
        Use these times
      </Button>
    </form>
  );
}

function rangeLabel(range: TimeRange, zone: Zone): string {
  switch (range.kind) {
    case 'last':
      return presets.find(({ span }) => span === range.span)?.label ?? `Last ${range.span}`;
    case 'all':
      return 'All time';
    case 'between':
      return `${momentLabel(range.from, 'start', zone)} – ${momentLabel(range.to, 'now', zone)}`;
  }
}

/** A moment as short as it can be told; a relative one as it is written. */
function momentLabel(moment: string | null, missing: string, zone: Zone): string {
  if (moment === null) return missing;
  return formatTime(moment, zone).replace(/(:00)?\.000$/, '');
}
