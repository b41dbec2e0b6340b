/** A saved search in the list: a click opens it, the menu has the rest. */
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { formatAge } from '../../ui/time';
import type { SavedSearch } from './saved';
import classes from './Saved.module.css';

type Props = {
  saved: SavedSearch;
  isOpen: boolean;
  onOpen: () => void;
  onRename: () => void;
  onUpdate: () => void;
  onDuplicate: () => void;
  onDelete: () => void;
};

export function SavedRow(props: Props) {
  const { saved, isOpen, onOpen } = props;
  const [now] = useState(() => Date.now());
  return (
    <li className={classes.row} data-open={isOpen}>
      <button type="button" className={classes.open} onClick={onOpen}>
        <span className={classes.name}>
          {saved.name}
          {saved.shared && <IconUsers size={14} role="img" aria-label="shared" />}
          {saved.tags.map((tag) => (
            <span key={tag} className={classes.mark}>
              {tag}
            </span>
          ))}
        </span>
        <span className="truncate mono dimmed">{saved.query === '' ? '*' : saved.query}</span>
      </button>
      <span className={classes.about}>
        {saved.mine ? 'mine' : saved.owner}
        <br />
        {saved.last_used === null ? 'not used yet' : `used ${formatAge(saved.last_used, now)}`}
      </span>
      <RowMenu {...props} />
    </li>
  );
}

function RowMenu({ saved, onRename, onUpdate, onDuplicate, onDelete }: Props) {
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon aria-label={`More about ${saved.name}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label={saved.name}>
        <Menu.Item onClick={onRename}>Name, folder, tags…</Menu.Item>
        <Menu.Item onClick={onUpdate}>Replace with the current search</Menu.Item>
        <Menu.Item onClick={onDuplicate}>Duplicate</Menu.Item>
        <Menu.Item c="var(--err)" onClick={onDelete}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
