/** Everything that is known of one message, and what can be done with each part of it. */
import { ActionIcon, Anchor, Group, Tooltip } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { Fragment, type ReactNode, useState } from 'react';
import type { Message } from '../api/model';
import { Copy } from '../ui/Copy';
import { formatTime, useZone } from '../ui/time';
import { Severity } from '../ui/Severity';
import { markHits } from '../ui/highlight';
import { type FieldRow, knownFields, parsedFields } from './messageFields';
import classes from './MessageDetail.module.css';

/** A message can be 64 KiB and more; this much is shown until one asks for all of it. */
const SHOWN_CHARACTERS_MAX = 8_000;

type Props = {
  message: Message;
  hits: RegExp | null;
  onFilter: (field: string, value: string, exclude: boolean) => void;
};

export function MessageDetail({ message, hits, onFilter }: Props) {
  const parsed = parsedFields(message);
  return (
    <div className={classes.detail}>
      <div className={classes.texts}>
        <LongText title="Message" text={message.message} hits={hits} />
        <LongText title={`Raw, as received${rawNote(message)}`} text={message.raw} hits={null} />
        <Group gap={8} className={classes.link ?? ''}>
          <Anchor href={permalink(message.id)} underline="always" size="sm">
            Link to this message
          </Anchor>
          <Copy what="link" text={new URL(permalink(message.id), location.href).href} />
        </Group>
      </div>
      <div className={classes.tables}>
        {parsed.length > 0 && <FieldTable title="Fields" rows={parsed} onFilter={onFilter} />}
        <FieldTable title="Message properties" rows={knownFields(message)} onFilter={onFilter}>
          {(row) => <KnownValue row={row} message={message} />}
        </FieldTable>
      </div>
    </div>
  );
}

/** The message by itself, findable whatever the range of the search was. */
function permalink(id: string): string {
  return `/search?${new URLSearchParams({ from: 'all', open: id }).toString()}`;
}

function rawNote(message: Message): string {
  const notes = [
    ...(message.raw_base64 === undefined ? [] : ['not UTF-8, shown approximately']),
    ...(message.flags.includes('truncated') ? ['cut at the size limit'] : []),
  ];
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function KnownValue({ row, message }: { row: FieldRow; message: Message }) {
  const [zone] = useZone();
  if (row.kind === 'time') return <time dateTime={row.value}>{formatTime(row.value, zone)}</time>;
  if (row.field === 'severity') return <Severity message={message} />;
  return row.value;
}

function LongText({ title, text, hits }: { title: string; text: string; hits: RegExp | null }) {
  const [all, setAll] = useState(false);
  const shown = all ? text : text.slice(0, SHOWN_CHARACTERS_MAX);
  return (
    <section>
      <div className={classes.head}>
        <h2>{title}</h2>
        <Copy what={title.toLowerCase().split(',')[0] ?? title} text={text} />
      </div>
      <pre className={classes.text}>
        {markHits(shown, hits).map((piece, at) =>
          piece.hit ? <mark key={at}>{piece.text}</mark> : piece.text,
        )}
      </pre>
      {shown.length < text.length && (
        <Anchor component="button" size="sm" onClick={() => setAll(true)}>
          Show all {text.length} characters
        </Anchor>
      )}
    </section>
  );
}

type FieldTableProps = {
  title: string;
  rows: readonly FieldRow[];
  onFilter: Props['onFilter'];
  children?: (row: FieldRow) => ReactNode;
};

function FieldTable({ title, rows, onFilter, children }: FieldTableProps) {
  return (
    <section>
      <div className={classes.head}>
        <h2>{title}</h2>
      </div>
      <dl className={classes.fields}>
        {rows.map((row, at) => (
          <Fragment key={at}>
            <dt>{row.field}</dt>
            <dd>
              <span className={classes.value}>{children?.(row) ?? row.value}</span>
              <span className={classes.actions}>
                {row.kind === 'filter' && (
                  <>
                    <FilterButton row={row} exclude={false} onFilter={onFilter} />
                    <FilterButton row={row} exclude onFilter={onFilter} />
                  </>
                )}
                <Copy what={row.field} text={row.value} />
              </span>
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

type FilterButtonProps = { row: FieldRow; exclude: boolean; onFilter: Props['onFilter'] };

function FilterButton({ row, exclude, onFilter }: FilterButtonProps) {
  const label = `${exclude ? 'Exclude' : 'Only'} ${row.field}=${row.value}`;
  return (
    <Tooltip label={label.slice(0, 120)}>
      <ActionIcon aria-label={label} onClick={() => onFilter(row.field, row.value, exclude)}>
        {exclude ? <IconMinus size={16} /> : <IconPlus size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
