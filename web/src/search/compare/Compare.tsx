/** Marked messages side by side: their fields, and the words that differ in their texts. */
import { Skeleton, Switch } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { diffWordsWithSpace } from 'diff';
import { useMemo, useState } from 'react';
import { IconButton } from '../../ui/IconButton';
import { Table } from '../../ui/Table';
import type { Message } from '../../api/model';
import { Dialog } from '../../ui/Dialog';
import { Notice } from '../../ui/Notice';
import { Severity } from '../../ui/Severity';
import { cut, visible } from '../../ui/message/text';
import { formatTime, useZone } from '../../ui/time';
import { type ComparedRow, comparedRows } from './comparedRows';
import { messageQuery } from '../../messages/messageState';
import classes from './Compare.module.css';

/** The maximum length of texts that are compared word by word: longer ones take seconds. */
const TEXT_CHARACTERS_MAX = 8_000;

/** The minimum width of a message: a narrower text would break within words. */
const MESSAGE_PX = 220;
const FIELD_PX = 128;

type Props = {
  ids: readonly string[];
  /** Messages that are already loaded. */
  known: readonly Message[];
  onRemove: (id: string) => void;
  onClose: () => void;
};

export function Compare({ ids, known, onRemove, onClose }: Props) {
  const [differencesOnly, setDifferencesOnly] = useState(true);
  const asked = useQueries({
    queries: ids.map((id) => {
      const message = known.find((other) => other.id === id);
      return { ...messageQuery(id), ...(message !== undefined && { initialData: message }) };
    }),
  });
  const missing = asked.findIndex(({ error }) => error !== null);
  const messages = asked.flatMap(({ data }) => data ?? []);
  const isLoading = asked.some(({ isPending }) => isPending);
  return (
    <Dialog opened onClose={onClose} title={`Compare ${ids.length} messages`} size="xl">
      <div className={classes.tools}>
        <Switch
          label="Only differences"
          checked={differencesOnly}
          onChange={(event) => setDifferencesOnly(event.currentTarget.checked)}
        />
      </div>
      {missing !== -1 && (
        <Notice
          tone="caution"
          title={`Message ${ids[missing] ?? ''} is not in the store (any more).`}
        />
      )}
      {isLoading && <Skeleton height={160} />}
      {messages.length > 1 && (
        <Comparison messages={messages} differencesOnly={differencesOnly} onRemove={onRemove} />
      )}
      {!isLoading && messages.length < 2 && (
        <p>Mark two messages or more with x to compare them.</p>
      )}
    </Dialog>
  );
}

type ComparisonProps = {
  messages: readonly Message[];
  differencesOnly: boolean;
  onRemove: (id: string) => void;
};

function Comparison({ messages, differencesOnly, onRemove }: ComparisonProps) {
  const rows = useMemo(() => comparedRows(messages), [messages]);
  const shown = differencesOnly ? rows.filter(({ differs }) => differs) : rows;
  return (
    <div className={classes.scroller} tabIndex={0} role="region" aria-label="Comparison">
      <Table
        className={classes.table}
        style={{ minWidth: FIELD_PX + messages.length * MESSAGE_PX }}
        heads={[
          'Field',
          ...messages.map((message, at) => (
            <th key={message.id} scope="col">
              <Head message={message} nth={at + 1} onRemove={onRemove} />
            </th>
          )),
        ]}
      >
        <TextRow messages={messages} />
        {shown.map((row) => (
          <FieldRow key={row.field} row={row} messages={messages} />
        ))}
      </Table>
      {shown.length === 0 && <p className="pad12 dimmed">No field differs.</p>}
    </div>
  );
}

type HeadProps = { message: Message; nth: number; onRemove: (id: string) => void };

function Head({ message, nth, onRemove }: HeadProps) {
  const [zone] = useZone();
  return (
    <div className="flex spread alignStart gap8">
      <div>
        <div>
          {nth}. {formatTime(message.time, zone)}
        </div>
        <div className="regular">
          <Severity message={message} /> {message.host}
        </div>
      </div>
      <IconButton
        icon={IconX}
        iconSize={14}
        label={`Remove message ${nth}`}
        onClick={() => onRemove(message.id)}
      />
    </div>
  );
}

function FieldRow({ row, messages }: { row: ComparedRow; messages: readonly Message[] }) {
  return (
    <tr data-differs={row.differs}>
      <th scope="row">
        {row.field}
        {row.differs && (
          <span className="marginLeft8 accent" role="img" aria-label="differs" title="differs">
            ≠
          </span>
        )}
      </th>
      {row.values.map((value, at) => (
        <td key={messages[at]?.id ?? at} data-other={value !== row.values[0]}>
          {value === null ? <span className="dimmed">–</span> : visible(value, true)}
        </td>
      ))}
    </tr>
  );
}

/** The first text unchanged, and the others with their differences from it. */
function TextRow({ messages }: { messages: readonly Message[] }) {
  const texts = messages.map(({ message }) => cut(message, TEXT_CHARACTERS_MAX).text);
  const [first = ''] = texts;
  const isSame = texts.every((text) => text === first);
  return (
    <tr data-differs={!isSame}>
      <th scope="row">
        message
        {!isSame && (
          <span className="marginLeft8 accent" role="img" aria-label="differs" title="differs">
            ≠
          </span>
        )}
      </th>
      {messages.map(({ id }, at) => (
        <td key={id}>
          {at === 0 || isSame ? (
            visible(first, true)
          ) : (
            <WordDiff from={first} to={texts[at] ?? ''} />
          )}
        </td>
      ))}
    </tr>
  );
}

function WordDiff({ from, to }: { from: string; to: string }) {
  const parts = useMemo(() => diffWordsWithSpace(from, to), [from, to]);
  return parts.map(({ value, added, removed }, at) =>
    added ? (
      <ins key={at}>{visible(value, true)}</ins>
    ) : removed ? (
      <del key={at}>{visible(value, true)}</del>
    ) : (
      <span key={at}>{visible(value, true)}</span>
    ),
  );
}
