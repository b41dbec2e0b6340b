/**
 * Saves a search under a name, for the user or for everybody. Also edits the name and the other
 * settings of a saved search.
 */
import {
  Autocomplete,
  Button,
  Checkbox,
  Group,
  Radio,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form, FormEnd } from '../../ui/Form';
import { savedSearchesQuery } from '../../api/savedSearches';
import { ApiError, problemOf } from '../../api/client';
import { Dialog } from '../../ui/Dialog';
import { Notice } from '../../ui/Notice';
import type { SearchState } from '../searchParams';
import {
  type SavedPart,
  type SavedSearch,
  addSaved,
  freeName,
  keptParts,
  parts,
  replaceSaved,
  tagsOf,
  toSave,
  withoutHistory,
} from './saved';

type Props = {
  state: SearchState;
  /** The search to be renamed; everything else in it stays unchanged. */
  renamed: SavedSearch | null;
  onSaved: (saved: SavedSearch) => void;
  onClose: () => void;
};

/**
 * The server's limits, which are checked here so that a longer text is not refused after it was
 * typed.
 */
const NAME_MAX = 120;

export function SaveDialog({ state, renamed, onSaved, onClose }: Props) {
  const queryClient = useQueryClient();
  const { data: known = [] } = useQuery(savedSearchesQuery);
  const [name, setName] = useState(renamed?.name ?? '');
  const [folder, setFolder] = useState(renamed?.folder ?? '');
  const [tags, setTags] = useState<string[]>(renamed?.tags ?? []);
  const [shared, setShared] = useState(renamed?.shared ?? false);
  const [keeps, setKeeps] = useState<readonly SavedPart[]>(
    renamed === null ? parts : keptParts(renamed),
  );
  const saving = useMutation({
    mutationFn: () => {
      const described = { name: name.trim(), folder: folder.trim(), tags, shared };
      if (renamed === null) return addSaved(toSave(state, { ...described, keeps }));
      return replaceSaved(renamed.id, { ...withoutHistory(renamed), ...described });
    },
    onSuccess: (saved) => {
      void queryClient.invalidateQueries(savedSearchesQuery);
      onSaved(saved);
      onClose();
    },
  });
  const problem = saving.error === null ? null : problemOf(saving.error);
  const isTaken = saving.error instanceof ApiError && saving.error.is('name-taken');
  const suggestion = isTaken ? freeName(name.trim(), folder.trim(), known) : name;
  return (
    <Dialog opened onClose={onClose} title={renamed === null ? 'Save this search' : 'Change'}>
      <Form onSubmit={() => name.trim() !== '' && saving.mutate()}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            withAsterisk
            label="Name"
            required
            maxLength={NAME_MAX}
            value={name}
            error={isTaken && saving.error?.message}
            onChange={(event) => {
              setName(event.currentTarget.value);
              saving.reset();
            }}
          />
          {suggestion !== name.trim() && isTaken && (
            <Button className="selfStart" onClick={() => setName(suggestion)}>
              Use “{suggestion}”
            </Button>
          )}
          <Group grow align="flex-start" gap={12}>
            <Autocomplete
              label="Folder"
              placeholder="None"
              maxLength={NAME_MAX}
              data={[...new Set(known.map((one) => one.folder))].filter((one) => one !== '')}
              value={folder}
              onChange={setFolder}
            />
            <TagsInput label="Tags" data={tagsOf(known)} value={tags} onChange={setTags} />
          </Group>
          <Radio.Group
            label="Who finds it"
            value={shared ? 'all' : 'me'}
            onChange={(value) => setShared(value === 'all')}
          >
            <Group gap={16} mt={4}>
              <Radio value="me" label="Only me" />
              <Radio value="all" label="Everybody" />
            </Group>
          </Radio.Group>
          {renamed === null && <Kept keeps={keeps} onChange={setKeeps} />}
          {problem !== null && !isTaken && (
            <Notice tone="error" title={saving.error?.message ?? problem.title} />
          )}
          <FormEnd
            action="Save"
            isReady={name.trim() !== ''}
            isPending={saving.isPending}
            onCancel={onClose}
          />
        </Stack>
      </Form>
    </Dialog>
  );
}

function Kept(props: {
  keeps: readonly SavedPart[];
  onChange: (keeps: readonly SavedPart[]) => void;
}) {
  const { keeps, onChange } = props;
  return (
    <Checkbox.Group
      label="Saved besides the query"
      description="Anything else stays as it is when the search is opened."
      value={[...keeps]}
      onChange={(values) => onChange(parts.filter((part) => values.includes(part)))}
    >
      <Group gap={16} mt={8}>
        {parts.map((part) => (
          <Checkbox key={part} value={part} label={labels[part]} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

const labels: Readonly<Record<SavedPart, string>> = {
  range: 'Time range',
  logspaces: 'Logspaces',
  view: 'Columns and view',
};
