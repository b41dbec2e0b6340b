/** The saved searches: the user can find, open and organise them. */
import { Button, Menu, Stack, TextInput } from '@mantine/core';
import { IconDots, IconSearch, IconUsers } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { noteUse, savedSearchesQuery } from '../../api/savedSearches';
import { Dialog } from '../../ui/Dialog';
import { Empty } from '../../ui/Empty';
import { IconButton } from '../../ui/IconButton';
import { Loading } from '../../ui/Loading';
import { Failure, Notice } from '../../ui/Notice';
import { formatAge } from '../../ui/time';
import type { SearchState } from '../searchParams';
import { SaveDialog } from './SaveDialog';
import {
  type SavedSearch,
  type SearchToSave,
  addSaved,
  duplicate,
  found,
  inFolders,
  opened,
  removeSaved,
  replaceSaved,
  tagsOf,
  updated,
  withoutHistory,
} from './saved';
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
          <Button onClick={onSave}>Save this search…</Button>
        </div>
        <Tags tags={tagsOf(data ?? [])} chosen={tag} onChoose={setTag} />
        <Failure error={change.error} />
        {removed !== null && (
          <Notice tone="info" title={`“${removed.name}” is deleted`}>
            <Button mt={4} onClick={undo}>
              Undo
            </Button>
          </Notice>
        )}
        <Failure error={error} onRetry={() => void refetch()} />
        {data === undefined && error === null && <Loading heights={[44, 44, 44, 44]} />}
        {data?.length === 0 && (
          <Empty title="No search is saved yet">
            <p>Save the one that you look at, and it is a key and a click away from then on.</p>
          </Empty>
        )}
        {data !== undefined && data.length > 0 && shown.length === 0 && (
          <p className="pad24 alignMiddle dimmed">No saved search has all of these words.</p>
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

type SavedRowProps = {
  saved: SavedSearch;
  isOpen: boolean;
  onOpen: () => void;
  onRename: () => void;
  onUpdate: () => void;
  onDuplicate: () => void;
  onDelete: () => void;
};

/** A saved search in the list: a click opens it, and the menu has the other actions. */
function SavedRow(props: SavedRowProps) {
  const { saved, isOpen, onOpen } = props;
  const [now] = useState(() => Date.now());
  return (
    <li className={classes.row} data-open={isOpen}>
      <button type="button" className={classes.open} onClick={onOpen}>
        <span className="row wrap gap8 breakAnywhere medium">
          {saved.name}
          {saved.shared && <IconUsers size={14} role="img" aria-label="shared" />}
          {saved.tags.map((tag) => (
            <span key={tag} className="padX6 small regular dimmed bordered round8">
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

function RowMenu({ saved, onRename, onUpdate, onDuplicate, onDelete }: SavedRowProps) {
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <IconButton icon={IconDots} label={`More about ${saved.name}`} />
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

type Change =
  | { kind: 'add'; search: SearchToSave }
  | { kind: 'replace'; saved: SavedSearch; search: SearchToSave }
  | { kind: 'remove'; saved: SavedSearch };

/** Changes to the saved searches. A deleted one can be brought back. */
function useChanges() {
  const queryClient = useQueryClient();
  const [removed, setRemoved] = useState<SavedSearch | null>(null);
  const change = useMutation({
    mutationFn: async (change: Change) => {
      setRemoved(null);
      switch (change.kind) {
        case 'add':
          await addSaved(change.search);
          break;
        case 'replace':
          await replaceSaved(change.saved.id, change.search);
          break;
        case 'remove':
          await removeSaved(change.saved.id);
          setRemoved(change.saved);
      }
    },
    // This is done after a failure as well: another user may have changed it.
    onSettled: () => queryClient.invalidateQueries(savedSearchesQuery),
  });
  const undo = () => {
    if (removed !== null) change.mutate({ kind: 'add', search: withoutHistory(removed) });
  };
  return { change, removed, undo };
}
