/** The senders as a sortable table; a click on a row opens the panel. */
import { Button } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useState } from 'react';
import { Table } from '../ui/Table';
import type { Sender } from '../api/model';
import { Trend } from '../ui/chart/Trend';
import { formatCount, formatRate } from '../ui/number';
import { formatAge, formatTime, useZone } from '../ui/time';
import {
  STEPS_PER_POINT,
  isSame,
  skewText,
  troubleText,
  troublesOf,
  unparsedPart,
} from './senders';
import type { SenderKey, Sort } from './sendersParams';
import classes from './Senders.module.css';

/**
 * The number of rows that are shown at first; the rest is shown on request, as nobody reads
 * thousands.
 */
const ROWS = 300;

type Props = {
  rows: readonly Sender[];
  sort: Sort;
  isReversed: boolean;
  opened: SenderKey | null;
  now: number;
  onSort: (sort: Sort) => void;
  onOpen: (sender: Sender) => void;
};

const heads: readonly { label: string; sort?: Sort; className?: string | undefined }[] = [
  { label: 'Host', sort: 'host' },
  { label: 'Source', sort: 'source', className: classes.second },
  { label: 'Last 24 h', className: classes.second },
  { label: 'Per second', sort: 'rate', className: classes.amount },
  {
    label: 'Last seen',
    sort: 'seen',
    className: `${classes.amount ?? ''} ${classes.second ?? ''}`,
  },
  { label: 'Clock', sort: 'skew', className: classes.third },
  { label: 'Unparsed', sort: 'unparsed', className: classes.third },
  { label: 'State', sort: 'state' },
];

export function SenderTable({ rows, sort, isReversed, opened, now, onSort, onOpen }: Props) {
  const [max, setMax] = useState(ROWS);
  return (
    <div className={classes.table} tabIndex={0} role="region" aria-label="Senders">
      <Table
        heads={[
          ...heads.map((head) => (
            <th
              key={head.label}
              scope="col"
              className={head.className}
              aria-sort={head.sort === sort ? (isReversed ? 'descending' : 'ascending') : undefined}
            >
              {head.sort === undefined ? (
                head.label
              ) : (
                <SortButton
                  label={head.label}
                  isOn={head.sort === sort}
                  isReversed={isReversed}
                  onSort={() => onSort(head.sort ?? 'state')}
                />
              )}
            </th>
          )),
        ]}
      >
        {rows.slice(0, max).map((sender) => (
          <Row
            key={`${sender.source}/${sender.host}`}
            sender={sender}
            isOpen={opened !== null && isSame(sender, opened)}
            now={now}
            onOpen={() => onOpen(sender)}
          />
        ))}
      </Table>
      {rows.length > max && (
        <Button variant="subtle" m={8} onClick={() => setMax(max + ROWS)}>
          Show {formatCount(Math.min(ROWS, rows.length - max))} more of {formatCount(rows.length)}
        </Button>
      )}
    </div>
  );
}

type SortProps = { label: string; isOn: boolean; isReversed: boolean; onSort: () => void };

function SortButton({ label, isOn, isReversed, onSort }: SortProps) {
  return (
    <button type="button" className={classes.sort} onClick={onSort}>
      {label}
      {isOn &&
        (isReversed ? (
          <IconArrowUp size={12} aria-hidden />
        ) : (
          <IconArrowDown size={12} aria-hidden />
        ))}
    </button>
  );
}

type RowProps = { sender: Sender; isOpen: boolean; now: number; onOpen: () => void };

function Row({ sender, isOpen, now, onOpen }: RowProps) {
  const [zone] = useZone();
  const { host, source, protocol, silent, skewed, skew_ms: skew, last_seen: seen } = sender;
  const unparsed = unparsedPart(sender);
  return (
    <tr data-open={isOpen} onClick={onOpen}>
      <th scope="row">
        <button
          type="button"
          className={classes.host}
          aria-expanded={isOpen}
          onClick={(event) => {
            event.stopPropagation();
            onOpen();
          }}
        >
          {host}
        </button>
      </th>
      <td className={classes.second}>
        {source} <span className="dimmed">{protocol}</span>
      </td>
      <td className={classes.second}>
        <Trend counts={sender.series} fold={STEPS_PER_POINT} isBad={silent} />
      </td>
      <td className={classes.amount} data-bad={silent}>
        {formatRate(sender.rate)}
      </td>
      <td
        className={`${classes.amount ?? ''} ${classes.second ?? ''}`}
        title={formatTime(seen, zone)}
      >
        {formatAge(seen, now)}
      </td>
      <td className={classes.third} data-caution={skewed}>
        {skew === null ? <span className="dimmed">no time</span> : skewText(skew)}
      </td>
      <td className={classes.third} data-caution={unparsed >= 0.01}>
        {percent(unparsed)}
      </td>
      <td>
        <Troubles sender={sender} />
      </td>
    </tr>
  );
}

function percent(part: number): string {
  if (part > 0 && part < 0.001) return '< 0.1 %';
  return `${(part * 100).toFixed(part === 0 || part >= 0.1 ? 0 : 1)} %`;
}

/** The problems of a sender, as coloured words. */
export function Troubles({ sender }: { sender: Sender }) {
  return (
    <span className={classes.troubles}>
      {troublesOf(sender).map((trouble) => (
        <span key={trouble} className={classes.trouble} data-trouble={trouble}>
          {troubleText(trouble, sender)}
        </span>
      ))}
    </span>
  );
}
