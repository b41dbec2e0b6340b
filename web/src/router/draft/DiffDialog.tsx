/** The draft against what is live: as sentences and line by line. */
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fetched } from '../../api/code';
import { Dialog } from '../../ui/Dialog';
import type { Validation } from '../../api/model';
import { DiffView } from '../../ui/DiffView';
import { ChangeList } from '../ChangeList';
import type { Draft } from './edits';
import type { Live } from '../queries';

type Props = {
  opened: boolean;
  draft: Draft;
  live: Live;
  validation: Validation | undefined;
  onClose: () => void;
};

export function DiffDialog({ opened, draft, live, validation, onClose }: Props) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      size="xl"
      title={`Draft against revision ${live.revision}`}
    >
      <DraftDiff draft={draft} live={live} validation={validation} />
    </Dialog>
  );
}

/** Also shown when a draft is about to replace a revision that it does not know. */
export function DraftDiff({ draft, live, validation }: Omit<Props, 'opened' | 'onClose'>) {
  const text = draft.content.kind === 'toml' ? draft.content.text : validation?.toml;
  const { data: diff } = useQuery({
    queryKey: ['router', 'draft-diff', live.toml, text],
    queryFn: async () => {
      const { createTwoFilesPatch } = await fetched(() => import('diff'));
      return createTwoFilesPatch('live', 'draft', live.toml, text ?? '');
    },
    enabled: text !== undefined,
    staleTime: Infinity,
  });
  return (
    <>
      {validation !== undefined && <ChangeList changes={validation.changes} />}
      {text === undefined && <p>The draft has problems that keep it from being written as text.</p>}
      {text !== undefined && diff === undefined && <Skeleton height={160} />}
      {diff !== undefined && <DiffView text={diff} label="Changed lines" />}
    </>
  );
}
