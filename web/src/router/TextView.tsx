/** The document as text, in an editor that knows what may be written where. */
import { Skeleton } from '@mantine/core';
import { Suspense, lazy } from 'react';
import type { DocumentProblem } from '../api/model';
import { Notice } from '../ui/Notice';
import { completeToml } from './completion';

const TomlEditor = lazy(() => import('../ui/editor/TomlEditor'));

type Props = {
  text: string | null;
  problems: readonly DocumentProblem[];
  canEdit: boolean;
  onWrite: (text: string) => void;
};

export function TextView({ text, problems, canEdit, onWrite }: Props) {
  if (text === null) {
    return (
      <Notice tone="caution" title="The draft cannot be written as text yet">
        Correct what is listed above in the form; then its text is shown here.
      </Notice>
    );
  }
  return (
    <Suspense fallback={<Skeleton height={320} aria-label="Loading" />}>
      <TomlEditor
        label="Router document"
        value={text}
        marks={problems}
        readOnly={!canEdit}
        offersAt={completeToml}
        onChange={onWrite}
      />
    </Suspense>
  );
}
