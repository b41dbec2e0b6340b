/** Makes a draft live, with a comment; if another user was faster, shows what that means first. */
import { Button, Group, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { ApiError, problemOf } from '../api/client';
import type { RouterChange, Validation } from '../api/model';
import { Notice } from '../ui/Notice';
import { ChangeList } from './ChangeList';
import { DraftDiff } from './DiffDialog';
import { ProblemList } from './ProblemList';
import type { Draft } from './draft';
import { type Live, applyDraft, liveQuery } from './queries';

type Props = {
  opened: boolean;
  draft: Draft;
  live: Live;
  validation: Validation | undefined;
  onClose: () => void;
  onApplied: (change: RouterChange) => void;
  onDiscard: () => void;
};

export function ApplyDialog(props: Props) {
  const { opened, draft, live, validation, onClose, onApplied, onDiscard } = props;
  const queryClient = useQueryClient();
  const [comment, setComment] = useState('');
  const apply = useMutation({
    mutationFn: (base: number) => applyDraft(draft.content, base, comment.trim()),
    onSuccess: async (change) => {
      await queryClient.invalidateQueries({ queryKey: ['router'] });
      onApplied(change);
    },
    onError: async (error) => {
      if (isConflict(error)) await queryClient.invalidateQueries({ queryKey: liveQuery.queryKey });
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    apply.mutate(draft.base);
  };
  const isBehind = isConflict(apply.error) || draft.base !== live.revision;
  return (
    <Dialog opened={opened} onClose={onClose} size={isBehind ? 'xl' : 'md'} title="Apply the draft">
      <form onSubmit={submit}>
        {apply.error !== null && !isBehind && <Refused error={apply.error} />}
        {isBehind ? (
          <>
            <Notice
              tone="caution"
              title={`Revision ${live.revision} went live after this draft began`}
            >
              Overwriting it does the following to what is live now:
            </Notice>
            <div style={{ marginTop: 12 }}>
              <DraftDiff draft={draft} live={live} validation={validation} />
            </div>
          </>
        ) : (
          validation !== undefined && <ChangeList changes={validation.changes} />
        )}
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
        <Group justify="flex-end" gap={8} mt={12}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {isBehind ? (
            <>
              <Button variant="default" onClick={onDiscard}>
                Discard mine
              </Button>
              <Button loading={apply.isPending} onClick={() => apply.mutate(live.revision)}>
                Overwrite revision {live.revision}
              </Button>
            </>
          ) : (
            <Button type="submit" loading={apply.isPending}>
              Apply
            </Button>
          )}
        </Group>
      </form>
    </Dialog>
  );
}

function isConflict(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 412;
}

function Refused({ error }: { error: Error }) {
  const { problems = [], path, line, column } = problemOf(error);
  if (problems.length > 0) return <ProblemList problems={problems} onShow={() => undefined} />;
  return (
    <Notice tone="error" title={error.message}>
      {path !== undefined && <span className="mono">{path} </span>}
      {line !== undefined && `line ${line}, column ${column ?? 1}`}
    </Notice>
  );
}
