/** Chooses a saved search, whose messages are tried. */
import { Button, Popover, Skeleton, TextInput } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type SavedSearch, savedSearchesQuery } from '../../api/savedSearches';
import { Notice } from '../../ui/Notice';
import classes from './Controls.module.css';

const SHOWN_MAX = 30;

export function SavedMenu({ onChoose }: { onChoose: (saved: SavedSearch) => void }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={360}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button
          className={classes.saved ?? ''}
          variant="subtle"
          color="gray"
          aria-label="Saved searches"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          Saved
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label="Saved searches">
        <Choice
          onChoose={(saved) => {
            setOpened(false);
            onChoose(saved);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ onChoose }: { onChoose: (saved: SavedSearch) => void }) {
  const { data, error, refetch } = useQuery(savedSearchesQuery);
  const [text, setText] = useState('');
  if (error !== null) {
    return <Notice tone="error" title={error.message} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton height={96} aria-label="Loading" />;
  if (data.length === 0) {
    return <p className="dimmed">No search is saved yet. Save one on the page Search.</p>;
  }
  const shown = foundBy(data, text);
  return (
    <>
      <TextInput
        data-autofocus
        size="xs"
        aria-label="Find a saved search"
        placeholder="Name, folder or query"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && shown[0] !== undefined) onChoose(shown[0]);
        }}
      />
      <ul className={classes.savedList}>
        {shown.slice(0, SHOWN_MAX).map((saved) => (
          <li key={saved.id}>
            <button type="button" className={classes.savedItem} onClick={() => onChoose(saved)}>
              <b>{saved.name}</b>
              {saved.folder !== '' && <span className="dimmed"> in {saved.folder}</span>}
              <span className="block truncate mono dimmed">
                {saved.query === '' ? 'all messages' : saved.query}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="dimmed">No saved search has all of these words.</p>}
      {shown.length > SHOWN_MAX && (
        <p className="dimmed">{shown.length - SHOWN_MAX} more: write a part of the name.</p>
      )}
    </>
  );
}

function foundBy(searches: readonly SavedSearch[], text: string): SavedSearch[] {
  const words = text.toLowerCase().split(/\s+/u);
  return searches.filter(({ name, folder, query }) => {
    const all = `${name}\n${folder}\n${query}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
