/** Chooses which stretch of time is searched, and in which zone times are read and written. */
import { Button, Popover, SegmentedControl } from '@mantine/core';
import { IconChevronDown, IconClock } from '@tabler/icons-react';
import { useState } from 'react';
import { useCommands } from '../commands';
import { type TimeRange, isSameRange, presets, rangeLabel, rangeZone } from '../range';
import { type Zone, useZone, zoneLabel } from '../time';
import { AbsoluteRange, RelativeRange } from './RangeForms';
import { useRecentRanges } from './recentRanges';
import classes from './RangePicker.module.css';

type Props = {
  range: TimeRange;
  /** Whether the query names its own range, which counts until one is chosen here. */
  isInQuery: boolean;
  onChange: (range: TimeRange) => void;
};

export function RangePicker({ range, isInQuery, onChange }: Props) {
  const [opened, setOpened] = useState(false);
  const [zone, setZone] = useZone();
  const [recent, remember] = useRecentRanges();
  const choose = (chosen: TimeRange) => {
    setOpened(false);
    remember(chosen);
    onChange(chosen);
  };
  useCommands([
    {
      id: 'range',
      title: 'Choose the time range',
      group: 'Time range',
      keys: 't',
      words: 'from to date zone',
      run: () => setOpened(true),
    },
  ]);
  const label = isInQuery ? 'Set by the query' : rangeLabel(range, zone);
  const offset = rangeZone(range, zone, new Date());
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          className={classes.picker ?? ''}
          leftSection={<IconClock size={16} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`Time range: ${label} ${offset}`}
          title={isInQuery ? `${label}. Choose a range to take it out of the query.` : label}
          onClick={() => setOpened(!opened)}
        >
          <span className={classes.label}>{label}</span>
          <span className={classes.offset}>{offset}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Time range">
        <div className={classes.panes}>
          <Presets range={range} onChoose={choose} />
          <div className={classes.absolute}>
            <RelativeRange range={range} onChoose={choose} />
            <AbsoluteRange key={zone} range={range} zone={zone} onChoose={choose} />
            <ZoneChoice zone={zone} onChange={setZone} />
          </div>
        </div>
        {recent.length > 0 && (
          <div className={classes.recent}>
            <span className={classes.caption}>Recent</span>
            <ul className={classes.recentList}>
              {recent.map((one) => (
                <li key={JSON.stringify(one)}>
                  <Preset
                    label={rangeLabel(one, zone)}
                    chosen={isSameRange(one, range)}
                    onChoose={() => choose(one)}
                  />
                </li>
              ))}
            </ul>
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

type PresetsProps = { range: TimeRange; onChoose: (range: TimeRange) => void };

function Presets({ range, onChoose }: PresetsProps) {
  return (
    <ul className={classes.presets}>
      {presets.map(({ span, label }) => (
        <li key={span}>
          <Preset
            label={label}
            chosen={range.kind === 'last' && range.span === span}
            onChoose={() => onChoose({ kind: 'last', span })}
          />
        </li>
      ))}
      <li>
        <Preset
          label="All time"
          chosen={range.kind === 'all'}
          onChoose={() => onChoose({ kind: 'all' })}
        />
      </li>
    </ul>
  );
}

function ZoneChoice({ zone, onChange }: { zone: Zone; onChange: (zone: Zone) => void }) {
  return (
    <div className={classes.zone}>
      <span className="dimmed">
        Times are in {zoneLabel(zone, new Date())}, also those in the query
      </span>
      <SegmentedControl
        aria-label="Zone"
        value={zone}
        onChange={onChange}
        data={[
          { value: 'local', label: 'Local' },
          { value: 'utc', label: 'UTC' },
        ]}
      />
    </div>
  );
}

function Preset(props: { label: string; chosen: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      className={classes.preset}
      aria-pressed={props.chosen}
      // The popover's focus trap begins where the eye does.
      data-autofocus={props.chosen || undefined}
      onClick={props.onChoose}
    >
      {props.label}
    </button>
  );
}
