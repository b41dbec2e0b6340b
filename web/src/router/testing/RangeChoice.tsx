/** The range of messages to test: one of a few, or any other. */
import { Button, Popover, SegmentedControl } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { AbsoluteRange, RelativeRange } from '../../ui/picker/RangeForms';
import { type TimeRange, rangeLabel } from '../../ui/range';
import { useZone, zoneLabel } from '../../ui/time';
import classes from './Controls.module.css';

const offered = [
  { value: '15m', label: '15 min' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
];

type Props = { range: TimeRange; onChange: (range: TimeRange) => void };

export function RangeChoice({ range, onChange }: Props) {
  const [opened, setOpened] = useState(false);
  const [zone] = useZone();
  const offers = offered.find(({ value }) => range.kind === 'last' && range.span === value);
  const choose = (chosen: TimeRange) => {
    setOpened(false);
    onChange(chosen);
  };
  return (
    <div className="row gap4">
      <SegmentedControl
        aria-label="Time range"
        value={offers?.value ?? ''}
        data={offered}
        onChange={(span) => choose({ kind: 'last', span })}
      />
      <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus>
        <Popover.Target>
          <Button
            variant={offers === undefined ? 'light' : 'default'}
            className={classes.custom ?? ''}
            aria-label={
              offers === undefined ? `Time range: ${rangeLabel(range, zone)}` : 'Another time range'
            }
            onClick={() => setOpened(!opened)}
          >
            <IconCalendar size={16} aria-hidden />
            {offers === undefined && <span>{rangeLabel(range, zone)}</span>}
          </Button>
        </Popover.Target>
        <Popover.Dropdown className={classes.forms ?? ''} aria-label="Time range">
          <RelativeRange range={range} onChoose={choose} />
          <AbsoluteRange range={range} zone={zone} onChoose={choose} />
          <Button variant="default" onClick={() => choose({ kind: 'all' })}>
            All that is stored
          </Button>
          <span className="dimmed">Times are in {zoneLabel(zone, new Date())}</span>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}
