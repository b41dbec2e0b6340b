/** The fields of a message in groups, and the actions on each value. */
import { ActionIcon } from '@mantine/core';
import {
  IconColumns,
  IconDots,
  IconEqual,
  IconEqualNot,
  IconPin,
  IconPinFilled,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Message } from '../../api/model';
import { Copy } from '../Copy';
import { Severity } from '../Severity';
import type { Hits } from '../highlight';
import { type Zone, formatTime, useZone } from '../time';
import { HighlightedText } from './HighlightedText';
import { type FieldRow, arranged, fieldGroups } from './fields';
import { cut } from './text';
import { IconButton } from '../IconButton';
import classes from './FieldList.module.css';

/**
 * A value can be as long as a message; this is the maximum length that is shown, but all of it can
 * be copied.
 */
const VALUE_CHARACTERS_MAX = 2_000;
/**
 * The maximum length of a value beside its name: a longer one, or one with several lines, gets the
 * whole width.
 */
const BESIDE_CHARACTERS_MAX = 80;

type Props = {
  message: Message;
  hits: Hits;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  /** Shows only fields whose name or value contains this text, in any case. */
  filter?: string;
  /** Fields that come first. */
  pinned?: readonly string[];
  onPin?: ((field: string) => void) | undefined;
  /** Fields that the table shows. */
  columns?: readonly string[];
  onColumn?: ((field: string) => void) | undefined;
  /** The element beside a value that can be searched for. */
  aside?: ((field: string, value: string) => ReactNode) | undefined;
  /** The element below it. */
  below?: ((field: string, value: string) => ReactNode) | undefined;
};

export function FieldList(props: Props) {
  const { message, filter = '', pinned = [] } = props;
  const groups = arranged(fieldGroups(message), filter, pinned);
  if (groups.length === 0) return <p className={classes.nothing}>No matching fields.</p>;
  return groups.map(({ title, rows }) => (
    <section key={title} className={classes.group} aria-label={title}>
      <h3>{title}</h3>
      <dl className="mono">
        {rows.map((row, at) => (
          <Row key={`${row.field} ${at}`} row={row} {...props} />
        ))}
      </dl>
    </section>
  ));
}

function Row({ row, ...props }: Props & { row: FieldRow }) {
  const { message, hits } = props;
  const { aside, below } = props;
  const [zone] = useZone();
  const [isActing, setIsActing] = useState(false);
  const isAsked = row.kind === 'filter';
  const isLong = row.value.length > BESIDE_CHARACTERS_MAX || row.value.includes('\n');
  return (
    <div
      className={classes.row}
      data-aside={aside !== undefined}
      data-long={isLong}
      data-acting={isActing}
    >
      <dt>{row.field}</dt>
      <dd className={classes.said}>
        <span className={classes.value}>{shownValue(row, message, hits, zone)}</span>
        <span className={classes.actions}>
          <RowActions row={row} {...props} />
        </span>
        <IconButton
          icon={IconDots}
          className={classes.more}
          label={`Actions for ${row.field}`}
          aria-expanded={isActing}
          onClick={() => setIsActing(!isActing)}
        />
      </dd>
      {isAsked && aside !== undefined && (
        <dd className={classes.aside}>{aside(row.field, row.value)}</dd>
      )}
      {isAsked && below?.(row.field, row.value)}
    </div>
  );
}

function shownValue(row: FieldRow, message: Message, hits: Hits, zone: Zone): ReactNode {
  if (row.kind === 'time') {
    return (
      <time dateTime={row.value} title={row.value}>
        {formatTime(row.value, zone)}
      </time>
    );
  }
  if (row.field === 'severity') return <Severity message={message} />;
  const { text, left } = cut(row.value, VALUE_CHARACTERS_MAX);
  return (
    <>
      <HighlightedText text={text} field={row.field} hits={hits} lines />
      {left > 0 && <span className="dimmed"> … {left} more characters</span>}
    </>
  );
}

function RowActions({ row, ...props }: Props & { row: FieldRow }) {
  const { onFilter, onPin, onColumn, pinned = [], columns = [] } = props;
  const { field, value } = row;
  const isPinned = pinned.includes(field);
  const isColumn = columns.includes(field);
  const Pin = isPinned ? IconPinFilled : IconPin;
  return (
    <>
      {row.kind === 'filter' && (
        <>
          <Action label={`Include ${field}=${value}`} onClick={() => onFilter(field, value, false)}>
            <IconEqual size={16} />
          </Action>
          <Action label={`Exclude ${field}=${value}`} onClick={() => onFilter(field, value, true)}>
            <IconEqualNot size={16} />
          </Action>
        </>
      )}
      {onColumn !== undefined && (
        <Action
          label={isColumn ? `Hide column ${field}` : `Show ${field} as a column`}
          pressed={isColumn}
          onClick={() => onColumn(field)}
        >
          <IconColumns size={16} />
        </Action>
      )}
      {onPin !== undefined && (
        <Action
          label={isPinned ? `Unpin ${field}` : `Pin ${field}`}
          pressed={isPinned}
          onClick={() => onPin(field)}
        >
          <Pin size={16} />
        </Action>
      )}
      <Copy what={field} text={value} />
    </>
  );
}

type ActionProps = { label: string; pressed?: boolean; onClick: () => void; children: ReactNode };

function Action({ label, pressed = false, onClick, children }: ActionProps) {
  const { text, left } = cut(label, 120);
  const name = left > 0 ? `${text}…` : text;
  // It has no tooltip of its own: a list has a hundred of these, and is drawn again for each message.
  return (
    <ActionIcon aria-label={name} title={name} data-pressed={pressed} onClick={onClick}>
      {children}
    </ActionIcon>
  );
}
