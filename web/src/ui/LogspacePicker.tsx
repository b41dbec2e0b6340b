/** Chooses which logspaces are searched; none chosen means all. */
import { Button, Checkbox, Popover } from '@mantine/core';
import { IconChevronDown, IconDatabase } from '@tabler/icons-react';
import { formatCount } from './number';
import classes from './RangePicker.module.css';

type Props = {
  logspaces: readonly { id: string; messages: number }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
};

export function LogspacePicker({ logspaces, chosen, onChange }: Props) {
  const label = chosen.length === 0 ? 'All logspaces' : chosen.join(', ');
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          className={classes.picker ?? ''}
          leftSection={<IconDatabase size={16} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`Logspaces: ${label}`}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Logspaces">
        <Checkbox.Group
          label="Search in"
          description="None ticked: all of them"
          value={[...chosen]}
          onChange={onChange}
        >
          {logspaces.map(({ id, messages }) => (
            <Checkbox
              key={id}
              mt={8}
              value={id}
              label={
                <>
                  {id} <span className="dimmed">{formatCount(messages)}</span>
                </>
              }
            />
          ))}
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
