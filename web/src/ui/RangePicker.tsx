/** Chooses which stretch of time is searched, and in which zone times are read and written. */
import { Button, NativeSelect, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChevronDown, IconClock } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { useCommands } from './commands';
import {
  type TimeRange,
  isSameRange,
  presets,
  rangeLabel,
  rangeZone,
  resolve,
  spanMs,
  units,
} from './range';
import { type Zone, momentText, parseMoment, useZone, zoneLabel } from './time';
import classes from './RangePicker.module.css';

type Props = {
  range: TimeRange;
  /** Whether the query names its own range, which counts until one is chosen here. */
  isInQuery: boolean;
  onChange: (range: TimeRange) => void;
};

const RECENT_MAX = 5;

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
          <ul className={classes.presets}>
            {presets.map(({ span, label: name }) => (
              <li key={span}>
                <Preset
                  label={name}
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
            <RelativeRange range={range} onChoose={choose} />
            <AbsoluteRange key={zone} range={range} zone={zone} onChoose={choose} />
            <div className={classes.zone}>
              <span className="dimmed">
                Times are in {zoneLabel(zone, new Date())}, also those in the query
              </span>
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

/** What was chosen besides the presets, which are always at hand. */
function useRecentRanges(): readonly [readonly TimeRange[], (range: TimeRange) => void] {
  const [recent, setRecent] = useLocalStorage<TimeRange[]>({
    key: 'logstead-ranges',
    defaultValue: [],
    deserialize: readRecent,
  });
  const remember = (range: TimeRange) => {
    const isPreset =
      range.kind === 'all' ||
      (range.kind === 'last' && presets.some(({ span }) => span === range.span));
    if (isPreset) return;
    const others = recent.filter((one) => !isSameRange(one, range));
    setRecent([range, ...others].slice(0, RECENT_MAX));
  };
  return [recent, remember];
}

/** What another version wrote, or a hand, must not break the page. */
function readRecent(text: string | undefined): TimeRange[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(read) ? read.filter(isRange) : [];
  } catch {
    return [];
  }
}

function isRange(value: unknown): value is TimeRange {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  const isMoment = (moment: unknown) => moment === null || typeof moment === 'string';
  if (value.kind === 'last') return 'span' in value && typeof value.span === 'string';
  return (
    value.kind === 'between' &&
    'from' in value &&
    'to' in value &&
    isMoment(value.from) &&
    isMoment(value.to)
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

type ChooseProps = { range: TimeRange; onChoose: (range: TimeRange) => void };

/** The last so many of any unit. */
function RelativeRange({ range, onChoose }: ChooseProps) {
  const span = range.kind === 'last' ? range.span : '2h';
  const [amount, setAmount] = useState(span.slice(0, -1));
  const [unit, setUnit] = useState(span.slice(-1));
  const problem = amount !== '' && !isAmount(amount) && 'A whole number from 1 to 99999.';
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isAmount(amount)) onChoose({ kind: 'last', span: `${Number(amount)}${unit}` });
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <span className={classes.caption}>Last</span>
      <div className={classes.last}>
        <TextInput
          size="xs"
          aria-label="How many"
          inputMode="numeric"
          value={amount}
          error={problem !== false}
          onChange={(event) => setAmount(event.currentTarget.value.trim())}
        />
        <NativeSelect
          aria-label="Unit"
          value={unit}
          onChange={(event) => setUnit(event.currentTarget.value)}
          data={units.map(({ letter, name }) => ({ value: letter, label: `${name}s` }))}
        />
        <Button type="submit" variant="default" disabled={!isAmount(amount)}>
          Use
        </Button>
      </div>
      {problem !== false && (
        <span className={classes.problem} role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}

function isAmount(text: string): boolean {
  return /^\d{1,5}$/.test(text) && spanMs(`${text}s`) !== null;
}

function AbsoluteRange({ range, zone, onChoose }: ChooseProps & { zone: Zone }) {
  const shown = range.kind === 'between' ? range : { from: null, to: null };
  const [from, setFrom] = useState(momentText(shown.from, zone));
  const [to, setTo] = useState(momentText(shown.to, zone));
  const start = from === '' ? null : parseMoment(from, zone);
  const end = to === '' ? null : parseMoment(to, zone);
  const fromProblem = from !== '' && start === null && FORM;
  const toProblem = to !== '' && (end === null ? FORM : isBackwards(start, end) && BACKWARDS);
  const isEmpty = from === '' && to === '';
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
        disabled={fromProblem !== false || toProblem !== false || isEmpty}
      >
        Use these times
      </Button>
    </form>
  );
}

const FORM = 'Write it as 2026-01-31 15:04:05, or as now-2h.';
const BACKWARDS = 'Must be later than From.';

function isBackwards(from: string | null, to: string): boolean {
  const moments = resolve({ kind: 'between', from, to }, Date.now());
  if (moments === null || moments.from === null || moments.to === null) return false;
  return moments.from >= moments.to;
}
