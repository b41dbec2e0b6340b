/** A message as one row: severity, time, host, program and text. Cheap: it draws nothing unless its own props change. */
import { IconChevronRight, IconSquareCheckFilled } from '@tabler/icons-react';
import { memo } from 'react';
import type { Message } from '../../api/model';
import { SeverityMark } from '../Severity';
import type { Hits } from '../highlight';
import { formatCount } from '../number';
import type { Zone } from '../time';
import { Marked } from './Marked';
import { ROW_CHARACTERS_MAX, cut } from './text';
import { type Times, shownTime } from './times';
import classes from './MessageLine.module.css';

export type RowProps = {
  message: Message;
  /** Its place in the list: the row carries it as `data-row`, so that the list can tell what was clicked on. */
  index: number;
  /** Its place among all rows of the table, the first being 1. */
  rowIndex: number;
  hits: Hits;
  times: Times;
  zone: Zone;
  /** For relative times; 0 where the times are none. */
  now: number;
  wrap: boolean;
  /** Whether the keys work on it. */
  current: boolean;
  open: boolean;
  marked: boolean;
  /** Whether the Tab key comes to it: one row of a list should be. */
  focusable: boolean;
};

type Props = RowProps & {
  /** The field that the cursor is on, of the current row. */
  field?: string | null;
};

export const MessageLine = memo(function MessageLine(props: Props) {
  const { message, hits, wrap, field = null } = props;
  return (
    <div {...rowAttributes(props)} className={classes.line}>
      <RowHead {...props} />
      <span role="cell" className={classes.cut} data-cursor={field === 'host'}>
        <Value field="host" value={message.host} hits={hits} />
      </span>
      <span role="cell" className={classes.cut} data-cursor={field === 'program'}>
        <Value field="program" value={message.program} hits={hits} />
        {message.pid !== '' && <span className={classes.pid}>[{message.pid}]</span>}
      </span>
      <span role="cell" className={classes.message}>
        <MessageText message={message} hits={hits} wrap={wrap} />
      </span>
    </div>
  );
});

/** What every row says about itself: its place, and how it stands in the list. */
export function rowAttributes({ index, rowIndex, wrap, current, open }: RowProps) {
  return {
    role: 'row',
    'aria-rowindex': rowIndex,
    'data-row': index,
    'data-wrap': wrap,
    'data-current': current,
    'data-open': open,
  };
}

/** The cells that every row begins with: what opens it, how severe it is, and when it was. */
export function RowHead(props: Omit<RowProps, 'hits' | 'wrap' | 'rowIndex'>) {
  const { message, index, times, zone, now, open, marked, focusable } = props;
  const time = shownTime(message, times, zone, now);
  return (
    <>
      <span role="cell" className={classes.gutter}>
        <button
          type="button"
          className={classes.opener}
          data-opener={index}
          data-marked={marked}
          tabIndex={focusable ? 0 : -1}
          aria-expanded={open}
          aria-label={marked ? 'Details, marked' : 'Details'}
        >
          {marked ? (
            <IconSquareCheckFilled size={14} aria-hidden />
          ) : (
            <IconChevronRight size={14} aria-hidden />
          )}
        </button>
        <SeverityMark message={message} />
      </span>
      <span role="cell" className={classes.time}>
        <time dateTime={time.rfc3339} title={time.rfc3339}>
          {time.text}
        </time>
      </span>
    </>
  );
}

type ValueProps = { field: string; value: string; hits: Hits };

/** A value that a click can be made on: the list reads which from `data-field`. */
export function Value({ field, value, hits }: ValueProps) {
  return value === '' ? (
    <span className={classes.none} aria-hidden>
      –
    </span>
  ) : (
    <span className={classes.value} data-field={field} data-value={value} title={value}>
      <Marked text={value} field={field} hits={hits} />
    </span>
  );
}

/** The beginning of a message's text, as much as a row may hold. */
export function MessageText(props: { message: Message; hits: Hits; wrap: boolean }) {
  const { message, hits, wrap } = props;
  const { text, left } = cut(message.message, ROW_CHARACTERS_MAX);
  return (
    <>
      <Marked text={text} field="message" hits={hits} lines={wrap} />
      {left > 0 && <span className={classes.left}> … {formatCount(left)} more characters</span>}
    </>
  );
}
