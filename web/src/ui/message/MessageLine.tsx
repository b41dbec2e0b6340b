/** A message as one row: severity, time, host, program, what happened, and where it is kept. Cheap: it draws nothing unless its own props change. */
import { IconSquareCheckFilled } from '@tabler/icons-react';
import { memo } from 'react';
import type { Message } from '../../api/model';
import { SeverityBar } from '../Severity';
import type { Hits } from '../highlight';
import type { Zone } from '../time';
import { Logspace } from './Logspace';
import { Marked } from './Marked';
import { type Fold, Repeats } from './Repeats';
import { SmartText } from './SmartText';
import { type LinePart, type Look, cutMiddle, plainLook, shownParts } from './look';
import { ROW_CHARACTERS_MAX } from './text';
import { type Times, shownTime } from './times';
import classes from './MessageLine.module.css';

/** A cell of a table can be made this wide. */
const VALUE_CH_MAX = ROW_CHARACTERS_MAX;

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
  /** How the rows of this list are drawn; plainly where nothing is known about it. */
  look?: Look;
  /** What is behind the row besides its message. */
  fold?: Fold | undefined;
};

type Props = RowProps & {
  /** The field that the cursor is on, of the current row. */
  field?: string | null;
};

export const MessageLine = memo(function MessageLine(props: Props) {
  const { look = plainLook } = props;
  return (
    <div {...rowAttributes(props)} className={classes.line}>
      <RowHead {...props} />
      {shownParts(look).map((part) => (
        <Part key={part} {...props} part={part} look={look} />
      ))}
    </div>
  );
});

type PartProps = Props & { part: LinePart; look: Look };

function Part({ part, message, hits, wrap, look, fold, field = null }: PartProps) {
  const { host, program, logspace } = look;
  switch (part) {
    case 'host':
      return (
        <span role="cell" className={classes.host} data-cursor={field === 'host'}>
          <Value field="host" value={message.host} hits={hits} ch={host.ch} />
        </span>
      );
    case 'program':
      return (
        <span role="cell" className={classes.program} data-cursor={field === 'program'}>
          <Value field="program" value={message.program} hits={hits} ch={program.ch} />
        </span>
      );
    case 'message':
      return (
        <span role="cell" className={classes.message}>
          <Other field="host" value={message.host} only={host.only} hits={hits} />
          <Other field="program" value={message.program} only={program.only} hits={hits} />
          {fold !== undefined && <Repeats fold={fold} />}
          <SmartText message={message} hits={hits} wrap={wrap} profile={look.profile} />
        </span>
      );
    case 'logspace':
      return (
        <span role="cell" className={classes.logspace}>
          <Logspace id={message.logspace} ch={logspace?.ch ?? 0} copies={fold?.copies} />
        </span>
      );
  }
}

type OtherProps = ValueProps & { only: string | null };

/** A value that is not the one that the head of the list says all have. */
function Other({ field, value, only, hits }: OtherProps) {
  if (only === null || value === only) return null;
  return (
    <span className={classes.other}>
      <Value field={field} value={value} hits={hits} />{' '}
    </span>
  );
}

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
export function RowHead(props: Omit<RowProps, 'hits' | 'wrap' | 'rowIndex' | 'look' | 'fold'>) {
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
          {marked && <IconSquareCheckFilled size={14} aria-hidden />}
        </button>
        <SeverityBar message={message} />
      </span>
      <span role="cell" className={classes.time}>
        <time dateTime={time.rfc3339} title={time.rfc3339}>
          {time.text}
        </time>
      </span>
    </>
  );
}

type ValueProps = {
  field: string;
  value: string;
  hits: Hits;
  /** Longer values are cut in the middle. */
  ch?: number;
};

/** A value that a click can be made on: the list reads which from `data-field`. */
export function Value({ field, value, hits, ch = VALUE_CH_MAX }: ValueProps) {
  return value === '' ? (
    <span className={classes.none} aria-hidden>
      –
    </span>
  ) : (
    <span className={classes.value} data-field={field} data-value={value} title={value}>
      <Marked text={cutMiddle(value, ch)} field={field} hits={hits} />
    </span>
  );
}
