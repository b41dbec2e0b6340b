/**
 * A message as one row: severity, time, host, program, text, and logspace. It is cheap: it is only
 * drawn if its own props change.
 */
import { IconSquareCheckFilled } from '@tabler/icons-react';
import { type ReactNode, memo } from 'react';
import type { Message } from '../../api/model';
import { SeverityBar } from '../Severity';
import type { Hits } from '../highlight';
import type { Zone } from '../time';
import { highlightedText } from './HighlightedText';
import { type Fold, Repeats } from './Repeats';
import { SmartText } from './SmartText';
import { type LinePart, type RowLayout, cutMiddle, plainLayout, shownParts } from './rowLayout';
import { ROW_CHARACTERS_MAX } from './text';
import { type Times, shownTime } from './times';
import classes from './MessageLine.module.css';
import logspaceClasses from './Logspace.module.css';

/** The maximum width of a table cell. */
const VALUE_CH_MAX = ROW_CHARACTERS_MAX;

export type RowProps = {
  message: Message;
  /**
   * The message's index in the list: the row has it as `data-row`, so that the list can find out
   * what was clicked.
   */
  index: number;
  /** The number of the row among all rows of the table, beginning with 1. */
  rowIndex: number;
  hits: Hits;
  times: Times;
  zone: Zone;
  /** The current time for relative times; 0 if times are not relative. */
  now: number;
  wrap: boolean;
  /** Whether the keys act on this row. */
  current: boolean;
  open: boolean;
  marked: boolean;
  /** Whether the Tab key reaches this row: one row of a list should be focusable. */
  focusable: boolean;
  /** The layout of the rows of this list; plain if nothing is known about it. */
  layout?: RowLayout;
  /** The other messages that the row stands for. */
  fold?: Fold | undefined;
};

type Props = RowProps & {
  /** The field at the cursor, for the current row. */
  field?: string | null;
};

export const MessageLine = memo(function MessageLine(props: Props) {
  const { layout = plainLayout } = props;
  return (
    <div {...rowAttributes(props)} className={classes.line}>
      {rowHead(props)}
      {shownParts(layout).map((part) => partOf(part, layout, props))}
    </div>
  );
});

/**
 * Neither this nor anything else in a row is a component, because rows should be drawn as fast as
 * possible.
 */
function partOf(part: LinePart, layout: RowLayout, props: Props): ReactNode {
  const { message, hits, wrap, fold, field = null } = props;
  const { host, program, logspace } = layout;
  switch (part) {
    case 'host':
      return (
        <span key={part} role="cell" className={classes.host} data-cursor={field === 'host'}>
          {valueOf('host', message.host, hits, host.ch)}
        </span>
      );
    case 'program':
      return (
        <span key={part} role="cell" className={classes.program} data-cursor={field === 'program'}>
          {valueOf('program', message.program, hits, program.ch)}
        </span>
      );
    case 'message':
      return (
        <span key={part} role="cell" className={classes.message}>
          {otherOf('host', message.host, host.only, hits)}
          {otherOf('program', message.program, program.only, hits)}
          {fold !== undefined && <Repeats fold={fold} />}
          <SmartText message={message} hits={hits} wrap={wrap} profile={layout.profile} />
        </span>
      );
    case 'logspace':
      return (
        <span key={part} role="cell" className={classes.logspace}>
          <Logspace id={message.logspace} ch={logspace?.ch ?? 0} copyOf={message.copy_of} />
        </span>
      );
  }
}

/** A value, unless it is the one that all messages have according to the head of the list. */
function otherOf(field: string, value: string, only: string | null, hits: Hits): ReactNode {
  if (only === null || value === only) return null;
  return <span className="soft">{valueOf(field, value, hits)} </span>;
}

/** The attributes of every row: its index, and its state in the list. */
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

/**
 * The cells at the beginning of every row: the button that opens it, its severity, and its time.
 */
export function rowHead(props: RowProps): ReactNode {
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
      <time role="cell" className="nowrap meta soft" dateTime={time.rfc3339} title={time.rfc3339}>
        {time.text}
      </time>
    </>
  );
}

/**
 * A clickable value: the list finds its field in `data-field`. Longer values are cut in the middle.
 */
export function valueOf(field: string, value: string, hits: Hits, ch = VALUE_CH_MAX): ReactNode {
  return value === '' ? (
    <span className="dimmed" aria-hidden>
      –
    </span>
  ) : (
    <span className={classes.value} data-field={field} data-value={value} title={value}>
      {highlightedText(cutMiddle(value, ch), field, hits)}
    </span>
  );
}

const COLOURS = 6;

type LogspaceProps = {
  id: string;
  ch: number;
  /** The logspace of the original, for a copy. */
  copyOf?: string;
};

/** The logspace of a message: its name, and a colour that is the same in all lists. */
function Logspace({ id, ch, copyOf = '' }: LogspaceProps) {
  return (
    <span
      className={logspaceClasses.logspace}
      data-field="logspace"
      data-value={id}
      title={copyOf === '' ? id : `${id}, a copy of what ${copyOf} has`}
    >
      <span
        className={logspaceClasses.square}
        data-colour={colourOf(id)}
        data-copy={copyOf !== ''}
        aria-hidden
      />
      {cutMiddle(id, ch)}
    </span>
  );
}

function colourOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return sum % COLOURS;
}
