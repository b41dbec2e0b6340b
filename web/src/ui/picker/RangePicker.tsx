/** Selects the range of time that is searched, and the zone in which times are read and written. */
import { Popover, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconCalendar, IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useCommands } from '../commands';
import { type TimeRange, isSameRange, pills, presets, rangeLabel, rangeZone } from '../range';
import { type Zone, useZone, zoneLabel } from '../time';
import { useBrowserState } from '../useBrowserState';
import { AbsoluteRange, RelativeRange } from './RangeForms';
import { Switcher } from '../Fields';
import { IconButton } from '../IconButton';
import classes from './RangePicker.module.css';

type Props = {
  range: TimeRange;
  /** Whether the query states its own range, which is used until one is selected here. */
  isInQuery: boolean;
  /** Buttons that change the range directly. */
  steps?: ReactNode;
  /** Restores the previous range, if there is one. */
  undo?: (() => void) | undefined;
  onChange: (range: TimeRange) => void;
};

export function RangePicker({ range, isInQuery, steps, undo, onChange }: Props) {
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
    ...presets.map(({ span, label }) => ({
      id: `range ${span}`,
      title: label,
      group: 'Time range',
      run: () => choose({ kind: 'last', span }),
    })),
  ]);
  const chosen = range.kind === 'last' && !isInQuery ? range.span : null;
  const isPill = chosen !== null && pills.includes(chosen);
  const label = isInQuery ? 'Set by the query' : rangeLabel(range, zone);
  const offset = rangeZone(range, zone, new Date());
  return (
    <div className={classes.range} role="group" aria-label="Range">
      {undo !== undefined && range.kind === 'between' && (
        <Tooltip label="Undo zoom (z)">
          <IconButton icon={IconArrowBackUp} size={32} label="Undo zoom" onClick={undo} />
        </Tooltip>
      )}
      {pills.map((span) => (
        <button
          key={span}
          type="button"
          className={classes.pill}
          aria-pressed={span === chosen}
          title={presets.find((preset) => preset.span === span)?.label}
          onClick={() => choose({ kind: 'last', span })}
        >
          {span}
        </button>
      ))}
      <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus>
        <Popover.Target>
          <button
            type="button"
            className={classes.picker}
            data-chosen={!isPill}
            aria-label={`Time range: ${label} ${offset}`}
            title={
              isInQuery
                ? `${label}. Choose a range to remove it from the query.`
                : `${label}, ${offset}`
            }
            onClick={() => setOpened(!opened)}
          >
            <IconCalendar size={16} aria-hidden />
            <span className={classes.label}>{chosen ?? label}</span>
            <IconChevronDown className={classes.chevron} size={14} aria-hidden />
          </button>
        </Popover.Target>
        <Popover.Dropdown p={0} aria-label="Time range" className={classes.dropdown ?? ''}>
          <div className={classes.panes}>
            <Presets range={range} onChoose={choose} />
            <div className={classes.absolute}>
              <RelativeRange range={range} onChoose={choose} />
              <AbsoluteRange key={zone} range={range} zone={zone} onChoose={choose} />
              <ZoneChoice zone={zone} onChange={setZone} />
              {steps}
            </div>
          </div>
          {recent.length > 0 && (
            <div className={classes.recent}>
              <span className={classes.caption}>Recent</span>
              <ul className="marginUnder">
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
    </div>
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
    <div className="stack gap4 meta">
      <span className="dimmed">
        Times are in {zoneLabel(zone, new Date())}, also those in the query
      </span>
      <Switcher
        label="Zone"
        value={zone}
        texts={{ local: 'Local', utc: 'UTC' }}
        onChange={onChange}
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
      // The popover's focus starts at the selected option, where the user looks first.
      data-autofocus={props.chosen || undefined}
      onClick={props.onChoose}
    >
      {props.label}
    </button>
  );
}

const RECENT_MAX = 5;

/**
 * The ranges that were last selected in this browser, except the presets, which are always
 * available.
 */
function useRecentRanges(): readonly [readonly TimeRange[], (range: TimeRange) => void] {
  const [recent, setRecent] = useBrowserState<TimeRange[]>({
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

/** The text may be from another version or written by hand: it must not break the page. */
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
