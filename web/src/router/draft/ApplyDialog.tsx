/** Makes a draft live, with a comment, and for the start only until somebody confirms it. */
import { Box, Group, NativeSelect, Switch, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form, FormEnd } from '../../ui/Form';
import { ApiError, problemOf } from '../../api/client';
import type { RouterChange, Validation } from '../../api/model';
import { Dialog } from '../../ui/Dialog';
import { Notice } from '../../ui/Notice';
import { ChangeList, ProblemList } from '../ProblemList';
import { applyDraft, fetchLive, liveQuery } from '../queries';
import type { Item, ItemPlace } from '../document';
import type { Draft } from './edits';
import { GoneLogspaces } from './GoneLogspaces';
import { type TypedNames, areTyped } from './gone';

type Props = {
  opened: boolean;
  draft: Draft;
  validation: Validation | undefined;
  /** The logspaces that it takes out of the document. */
  gone: readonly string[];
  /** The document that the names of problems are read from. */
  itemAt: (place: ItemPlace) => Item | undefined;
  onClose: () => void;
  /** Another user was faster. */
  onBehind: () => void;
  onApplied: (change: RouterChange) => void;
};

const times = [
  { value: '2m', label: '2 minutes' },
  { value: '10m', label: '10 minutes' },
  { value: '30m', label: '30 minutes' },
  { value: '2h', label: '2 hours' },
];

export function ApplyDialog(props: Props) {
  const { opened, draft, validation, gone, itemAt, onClose, onBehind, onApplied } = props;
  const queryClient = useQueryClient();
  const [comment, setComment] = useState('');
  const [isTrial, setTrial] = useState(true);
  const [within, setWithin] = useState('10m');
  const [typed, setTyped] = useState<TypedNames>({});
  const isReady = areTyped(gone, typed);
  const apply = useMutation({
    mutationFn: () =>
      applyDraft(draft.content, draft.base, comment.trim(), isTrial ? within : null),
    onSuccess: async (change) => {
      // The draft ends when what it became is there: until then the page would show the revision before.
      queryClient.setQueryData(liveQuery.queryKey, await fetchLive());
      onClose();
      onApplied(change);
      await queryClient.invalidateQueries({ queryKey: ['router'] });
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      queryClient.setQueryData(liveQuery.queryKey, await fetchLive());
      onBehind();
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title="Apply the draft">
      <Form onSubmit={() => isReady && apply.mutate()}>
        {apply.error !== null && (
          <Box mb={12}>
            <Refused error={apply.error} itemAt={itemAt} />
          </Box>
        )}
        {validation !== undefined && <ChangeList changes={validation.changes} />}
        <GoneLogspaces ids={gone} typed={typed} onType={setTyped} />
        <Textarea
          mt={12}
          label="Comment"
          description="Why, for those who read the history"
          autosize
          minRows={2}
          data-autofocus
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Group mt={12} gap={8} wrap="nowrap">
          <Switch
            label="Goes back unless confirmed within"
            checked={isTrial}
            onChange={(event) => setTrial(event.currentTarget.checked)}
          />
          <NativeSelect
            aria-label="Time to confirm"
            miw={128}
            disabled={!isTrial}
            value={within}
            data={times}
            onChange={(event) => setWithin(event.currentTarget.value)}
          />
        </Group>
        <FormEnd
          mt={12}
          action="Apply"
          isReady={isReady}
          isPending={apply.isPending}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}

type RefusedProps = Pick<Props, 'itemAt'> & { error: Error };

function Refused({ error, itemAt }: RefusedProps) {
  const { problems = [], path, line, column } = problemOf(error);
  if (problems.length > 0) return <ProblemList problems={problems} itemAt={itemAt} />;
  return (
    <Notice tone="error" title={error.message}>
      {path !== undefined && <span className="mono">{path} </span>}
      {line !== undefined && `line ${line}, column ${column ?? 1}`}
    </Notice>
  );
}
