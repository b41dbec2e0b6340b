/** The text of a message and its fields, with those first that the reader pinned. */
import { Anchor, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useState } from 'react';
import type { Message } from '../../api/model';
import { Copy } from '../../ui/Copy';
import type { Hits } from '../../ui/highlight';
import { FieldList } from '../../ui/message/FieldList';
import { Marked } from '../../ui/message/Marked';
import { cut } from '../../ui/message/text';
import { formatCount } from '../../ui/number';
import { toggled } from '../results/columns';
import classes from './FieldsTab.module.css';

/** A message can be 64 KiB and more; this much is shown until one asks for all of it. */
const SHOWN_CHARACTERS_MAX = 8_000;

type Props = {
  message: Message;
  hits: Hits;
  columns: readonly string[];
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onColumns: (columns: string[]) => void;
};

export function FieldsTab({ message, hits, columns, onFilter, onColumns }: Props) {
  const [filter, setFilter] = useState('');
  const [pinned, setPinned] = useLocalStorage<string[]>({
    key: 'logstead-pinned-fields',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  return (
    <>
      <MessageBox message={message} hits={hits} />
      <TextInput
        mt={12}
        size="xs"
        aria-label="Filter fields"
        placeholder="Filter fields by name or value"
        leftSection={<IconFilter size={14} />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <FieldList
        message={message}
        hits={hits}
        filter={filter}
        pinned={pinned}
        onPin={(field) => setPinned(toggled(pinned, field))}
        columns={columns}
        onColumn={(field) => onColumns(toggled(columns, field))}
        onFilter={onFilter}
      />
    </>
  );
}

function MessageBox({ message, hits }: { message: Message; hits: Hits }) {
  const [all, setAll] = useState(false);
  const { text, left } = cut(message.message, all ? Infinity : SHOWN_CHARACTERS_MAX);
  return (
    <section className={classes.box} aria-label="Text">
      <pre className={classes.text} tabIndex={0} aria-label="Message" role="region">
        <Marked text={text} field="message" hits={all ? [] : hits} lines />
      </pre>
      <span className={classes.copy}>
        <Copy what="message" text={message.message} />
      </span>
      {left > 0 && (
        <Anchor
          component="button"
          size="sm"
          className={classes.more ?? ''}
          onClick={() => setAll(true)}
        >
          Show {formatCount(left)} more characters
        </Anchor>
      )}
    </section>
  );
}
