/** The way back to a revision: what it would change, as sentences and line by line, before it does. */
import { Button, Group, Skeleton, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { DiffView } from '../../ui/DiffView';
import { Notice } from '../../ui/Notice';
import { ChangeList } from '../ChangeList';
import { GoneLogspaces } from '../draft/GoneLogspaces';
import { type TypedNames, areTyped, goneLogspaces } from '../draft/gone';
import { type Live, backDiffQuery, revisionDocumentQuery, rollBack } from '../queries';

type Props = { live: Live; revision: number; onClose: () => void };

export function RollBackDialog({ live, revision, onClose }: Props) {
  const queryClient = useQueryClient();
  const [comment, setComment] = useState(`back to revision ${revision}`);
  const [typed, setTyped] = useState<TypedNames>({});
  const { data: target, ...asked } = useQuery(revisionDocumentQuery(revision));
  const gone = target === undefined ? [] : goneLogspaces(live.document, target);
  // A roll back shows what it removes before it can be done.
  const isReady = target !== undefined && areTyped(gone, typed);
  const back = useMutation({
    mutationFn: () => rollBack(revision, comment.trim()),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['router'] });
      onClose();
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isReady) back.mutate();
  };
  return (
    <Dialog opened onClose={onClose} size="xl" title={`Roll back to revision ${revision}`}>
      <form onSubmit={submit}>
        {back.error !== null && <Notice tone="error" title={back.error.message} />}
        {asked.error !== null && (
          <Notice tone="error" title={asked.error.message} onRetry={() => void asked.refetch()} />
        )}
        <p>Its document becomes live again, as a new revision. Nothing in the history is lost.</p>
        <Difference live={live.revision} revision={revision} />
        <GoneLogspaces ids={gone} typed={typed} onType={setTyped} />
        <Textarea
          mt={12}
          label="Comment"
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
          <Button type="submit" loading={back.isPending} disabled={!isReady}>
            Roll back
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

function Difference({ live, revision }: { live: number; revision: number }) {
  const { data, error, refetch } = useQuery(backDiffQuery(live, revision));
  if (error !== null) {
    return <Notice tone="error" title={error.message} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton height={120} mt={12} aria-label="Loading" />;
  return (
    <section aria-label={`What changes from revision ${live}`}>
      <ChangeList changes={data.changes} />
      <DiffView text={data.text} label="Lines that change" />
    </section>
  );
}
