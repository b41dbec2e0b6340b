/** Selects the logspaces that are searched; an empty selection means all. */
import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { IconChevronDown, IconDatabase, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useCommands } from '../commands';
import { formatCount } from '../number';
import classes from './LogspacePicker.module.css';

type Props = {
  logspaces: readonly { id: string; messages: number }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
};

/** The number of logspaces from which on a list is searched rather than read. */
const READABLE_MAX = 8;

export function LogspacePicker({ logspaces, chosen, onChange }: Props) {
  const [opened, setOpened] = useState(false);
  useCommands([
    {
      id: 'logspaces',
      title: 'Choose the logspaces',
      group: 'Time range',
      keys: 'L',
      run: () => setOpened(true),
    },
  ]);
  const label = labelOf(chosen);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          className={classes.picker ?? ''}
          leftSection={<IconDatabase size={16} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`Logspaces: ${chosen.length === 0 ? label : chosen.join(', ')}`}
          title={chosen.join(', ')}
          onClick={() => setOpened(!opened)}
        >
          <span className="ellipsis wideOnly">{label}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Logspaces">
        <Choice logspaces={logspaces} chosen={chosen} onChange={onChange} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ logspaces, chosen, onChange }: Props) {
  const [filter, setFilter] = useState('');
  // A selected logspace that no longer exists, or is not granted, can still be deselected.
  const gone = chosen.filter((id) => logspaces.every((logspace) => logspace.id !== id));
  const rows = [...logspaces, ...gone.map((id) => ({ id, messages: null }))];
  const shown = rows.filter(({ id }) => id.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <div className={classes.choice}>
      {rows.length > READABLE_MAX && (
        <TextInput
          size="xs"
          data-autofocus
          aria-label="Find a logspace"
          placeholder="Find a logspace"
          leftSection={<IconSearch size={14} />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <Checkbox.Group aria-label="Search in" value={[...chosen]} onChange={onChange}>
        <div className={classes.rows}>
          {shown.map(({ id, messages }) => (
            <Checkbox
              key={id}
              classNames={{ root: 'hoverable pad4x8 round4', labelWrapper: classes.grow ?? '' }}
              value={id}
              label={
                <span className="flex spread gap16">
                  <span>{id}</span>
                  <span className="dimmed">
                    {messages === null ? 'missing' : formatCount(messages)}
                  </span>
                </span>
              }
            />
          ))}
          {shown.length === 0 && <p className="pad8 dimmed">No matching logspaces.</p>}
        </div>
      </Checkbox.Group>
      <div className={classes.foot}>
        <span className="dimmed">
          {chosen.length === 0 ? 'All logspaces unless selected.' : `${chosen.length} selected`}
        </span>
        <Button variant="subtle" disabled={chosen.length === 0} onClick={() => onChange([])}>
          All
        </Button>
      </div>
    </div>
  );
}

function labelOf(chosen: readonly string[]): string {
  const [first, ...others] = chosen;
  if (first === undefined) return 'All logspaces';
  return others.length === 0 ? first : `${first} + ${others.length}`;
}
