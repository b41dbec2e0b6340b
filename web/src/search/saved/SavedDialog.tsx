/** The searches that were saved: to find one, open it, and keep them in order. */
import { Button, Skeleton, Stack, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { noteUse, savedSearchesQuery } from '../../api/savedSearches';
import { Dialog } from '../../ui/Dialog';
import { Empty } from '../../ui/Empty';
import { Notice } from '../../ui/Notice';
import type { SearchState } from '../searchParams';
import { SaveDialog } from './SaveDialog';
import { SavedRow } from './SavedRow';
import { type SavedSearch, duplicate, found, inFolders, opened, tagsOf, updated } from './saved';
import { type Change, useChanges } from './useChanges';
import classes from './Saved.module.css';

type Props = {
  state: SearchState;
  onOpen: (state: SearchState) => void;
  onSave: () => void;
  onClose: () => void;
};

export function SavedDialog({ state, onOpen, onSave, onClose }: Props) {
  const { data, error, refetch } = useQuery(savedSearchesQuery);
  const [text, setText] = useState('');
  const [tag, setTag] = useState<string | null>(null);
  const [renamed, setRenamed] = useState<SavedSearch | null>(null);
  const { change, removed, undo } = useChanges();
  const shown = found(data ?? [], text, tag);
  const open = (saved: SavedSearch) => {
    noteUse(saved.id);
    onOpen(opened(saved, state));
    onClose();
  };
  const first = inFolders(shown)[0]?.searches[0];
  if (renamed !== null) {
    return (
      <SaveDialog
        state={state}
        renamed={renamed}
        onSaved={() => undefined}
        onClose={() => setRenamed(null)}
      />
    );
  }
  return (
    <Dialog opened onClose={onClose} title="Saved searches" size="xl">
      <Stack gap="sm" className={classes.dialog ?? ''}>
        <div className={classes.find}>
          <TextInput
            data-autofocus
            size="xs"
            className="grow"
            aria-label="Find a saved search"
            placeholder="Name, folder, tag, owner or query"
            leftSection={<IconSearch size={14} />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && first !== undefined) open(first);
            }}
          />
          <Button variant="default" onClick={onSave}>
            Save this search…
          </Button>
        </div>
        <Tags tags={tagsOf(data ?? [])} chosen={tag} onChoose={setTag} />
        {change.error !== null && <Notice tone="error" title={change.error.message} />}
        {removed !== null && (
          <Notice tone="info" title={`“${removed.name}” is deleted`}>
            <Button variant="default" mt={4} onClick={undo}>
              Undo
            </Button>
          </Notice>
        )}
        {error !== null && (
          <Notice tone="error" title={error.message} onRetry={() => void refetch()} />
        )}
        {data === undefined && error === null && <Skeletons />}
        {data?.length === 0 && (
          <Empty title="No search is saved yet">
            <p>Save the one that you look at, and it is a key and a click away from then on.</p>
          </Empty>
        )}
        {data !== undefined && data.length > 0 && shown.length === 0 && (
          <p className={classes.none}>No saved search has all of these words.</p>
        )}
        <Folders
          shown={shown}
          known={data ?? []}
          state={state}
          onOpen={open}
          onRename={setRenamed}
          onChange={change.mutate}
        />
      </Stack>
    </Dialog>
  );
}

type FoldersProps = {
  shown: readonly SavedSearch[];
  known: readonly SavedSearch[];
  state: SearchState;
  onOpen: (saved: SavedSearch) => void;
  onRename: (saved: SavedSearch) => void;
  onChange: (change: Change) => void;
};

function Folders({ shown, known, state, onOpen, onRename, onChange }: FoldersProps) {
  return inFolders(shown).map(({ name, searches }) => (
    <section key={name} aria-label={name === '' ? 'Without a folder' : `Folder ${name}`}>
      {name !== '' && <h3 className={classes.folder}>{name}</h3>}
      <ul className="lineTop">
        {searches.map((saved) => (
          <SavedRow
            key={saved.id}
            saved={saved}
            isOpen={state.saved === String(saved.id)}
            onOpen={() => onOpen(saved)}
            onRename={() => onRename(saved)}
            onUpdate={() => onChange({ kind: 'replace', saved, search: updated(saved, state) })}
            onDuplicate={() => onChange({ kind: 'add', search: duplicate(saved, known) })}
            onDelete={() => onChange({ kind: 'remove', saved })}
          />
        ))}
      </ul>
    </section>
  ));
}

type TagsProps = {
  tags: readonly string[];
  chosen: string | null;
  onChoose: (tag: string | null) => void;
};

function Tags({ tags, chosen, onChoose }: TagsProps) {
  if (tags.length === 0) return null;
  return (
    <div className="flex wrap gap4" role="group" aria-label="Tags">
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          className={classes.tag}
          aria-pressed={tag === chosen}
          onClick={() => onChoose(tag === chosen ? null : tag)}
        >
          {tag}
        </button>
      ))}
    </div>
  );
}

function Skeletons() {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: 4 }, (_, row) => (
        <Skeleton key={row} height={44} mt={8} />
      ))}
    </div>
  );
}
