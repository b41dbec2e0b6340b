/** Chooses which stretch of time is searched, and in which zone times are read and written. */
import { Button, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { IconChevronDown, IconClock } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { type TimeRange, presets } from './range';
import { type Zone, momentText, parseMoment, useZone, zoneLabel } from './time';
import classes from './RangePicker.module.css';

type Props = { range: TimeRange; onChange: (range: TimeRange) => void };

export function RangePicker({ range, onChange }: Props) {
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
          className={classes.picker ?? ''}
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
  const [from, setFrom] = useState(momentText(between.from, zone));
  const [to, setTo] = useState(momentText(between.to, zone));
  const start = parseMoment(from, zone);
  const end = parseMoment(to, zone);
  const fromProblem = from !== '' && start === null && FORM;
  const toProblem = to !== '' && (end === null ? FORM : isBackwards(start, end) && BACKWARDS);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onChoose({ kind: 'between', from: start, to: end });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        size="xs"
        label="From"
        placeholder="2026-01-31 15:04:05 or now-2h"
        spellCheck={false}
        value={from}
        error={fromProblem}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        size="xs"
        label="To"
        placeholder="now"
        description="Not included; empty means no end."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        spellCheck={false}
        value={to}
        error={toProblem}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button
        type="submit"
        variant="default"
        disabled={fromProblem !== false || toProblem !== false || (from === '' && to === '')}
      >
        Use these times
      </Button>
    </form>
  );
}

const FORM = 'Write it as 2026-01-31 15:04:05, or as now-2h.';
const BACKWARDS = 'Must be later than From.';

/** Relative moments are the server's to compare. */
function isBackwards(from: string | null, to: string): boolean {
  return from !== null && Date.parse(from) >= Date.parse(to);
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
  return momentText(moment, zone).replace(/(\d:\d\d):00$/, '$1');
}
