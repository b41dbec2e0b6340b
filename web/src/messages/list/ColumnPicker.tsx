/**
 * Chooses the columns of the table, from the fields of the loaded messages and those that every
 * message can have.
 */
import { Checkbox, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import { IconButton } from '../../ui/IconButton';
import { knownFields, ownFieldNames } from '../../ui/message/fields';
import { initialColumns } from '../messageState';
import { moved, toggled } from './columns';
import classes from './ColumnPicker.module.css';

/** Maximum number of messages whose fields are listed; other fields can be found by name. */
const MESSAGES_LOOKED_AT_MAX = 2_000;

type Props = {
  columns: readonly string[];
  messages: readonly Message[];
  onColumns: (columns: string[]) => void;
};

export function ColumnPicker({ columns, messages, onColumns }: Props) {
  const [text, setText] = useState('');
  const names = useMemo(
    () => [...ownFieldNames(messages.slice(0, MESSAGES_LOOKED_AT_MAX)), ...knownFields],
    [messages],
  );
  const wanted = text.trim();
  const fits = (name: string) => name.toLowerCase().includes(wanted.toLowerCase());
  const others = names.filter((name) => !columns.includes(name) && fits(name));
  const isNew = wanted !== '' && !names.includes(wanted) && !columns.includes(wanted);
  return (
    <div className={classes.picker}>
      <TextInput
        size="xs"
        aria-label="Find a field"
        placeholder="Find a field"
        leftSection={<IconSearch size={14} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <ul className={classes.list} aria-label="Columns">
        {columns.filter(fits).map((field) => (
          <li key={field} className="hoverable row padX4 minHeight28 round4">
            <Checkbox
              label={field}
              checked
              onChange={() => onColumns(toggled(columns, field))}
              className="grow"
            />
            <Move field={field} columns={columns} by={-1} onColumns={onColumns} />
            <Move field={field} columns={columns} by={1} onColumns={onColumns} />
          </li>
        ))}
        {others.map((field) => (
          <li key={field} className="hoverable row padX4 minHeight28 round4">
            <Checkbox
              label={field}
              checked={false}
              onChange={() => onColumns(toggled(columns, field))}
            />
          </li>
        ))}
      </ul>
      {isNew && (
        <button
          type="button"
          className="hoverable pad4x8 read line20 accent round4"
          onClick={() => onColumns(toggled(columns, wanted))}
        >
          Add “{wanted}”
        </button>
      )}
      <button
        type="button"
        className="hoverable pad4x8 read line20 accent round4"
        onClick={() => onColumns([...initialColumns])}
      >
        Reset columns
      </button>
    </div>
  );
}

function Move(props: {
  field: string;
  columns: readonly string[];
  by: 1 | -1;
  onColumns: (columns: string[]) => void;
}) {
  const { field, columns, by, onColumns } = props;
  const to = columns.indexOf(field) + by;
  return (
    <IconButton
      icon={by === 1 ? IconArrowDown : IconArrowUp}
      iconSize={14}
      size={24}
      label={`Move ${field} ${by === 1 ? 'right' : 'left'}`}
      disabled={to < 0 || to >= columns.length}
      onClick={() => onColumns(moved(columns, field, to))}
    />
  );
}
