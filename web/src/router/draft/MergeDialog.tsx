/**
 * Another revision went live after the draft was begun: changes of both sides are merged, or the
 * user chooses between them.
 */
import { Radio, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Validation } from '../../api/model';
import { Dialog } from '../../ui/Dialog';
import { FormEnd } from '../../ui/Form';
import { Failure, Notice } from '../../ui/Notice';
import { type Item, nouns, readDocument } from '../document';
import { type Live, revisionDocumentQuery } from '../queries';
import type { Draft } from './edits';
import { type Conflict, type MergeSide, merge } from './merge';
import classes from './Merge.module.css';

type Props = {
  draft: Draft;
  live: Live;
  validation: Validation | undefined;
  onClose: () => void;
  onMerged: (draft: Draft) => void;
};

export function MergeDialog({ draft, live, validation, onClose, onMerged }: Props) {
  const base = useQuery(revisionDocumentQuery(draft.base));
  const [choices, setChoices] = useState<ReadonlyMap<string, MergeSide>>(new Map());
  const { content } = draft;
  const text = content.kind === 'toml' ? validation?.document : null;
  const ours =
    content.kind === 'document' ? content.document : text == null ? null : readDocument(text);
  const merged =
    base.data === undefined || ours === null
      ? null
      : merge(base.data, live.document, ours, choices);
  const open = merged?.conflicts.filter(({ key }) => !choices.has(key)).length ?? 0;
  return (
    <Dialog
      opened
      onClose={onClose}
      size="xl"
      title={`Merge revision ${live.revision} into the draft`}
    >
      <Failure error={base.error} onRetry={() => void base.refetch()} />
      {ours === null && (
        <Notice tone="caution" title="The draft's text cannot be read as a document">
          Correct it first; then it can be merged.
        </Notice>
      )}
      {merged === null && ours !== null && base.error === null && <Skeleton height={120} />}
      {merged !== null && (
        <>
          <p>
            {merged.conflicts.length === 0
              ? 'The two changed different entries, so all changes go together.'
              : 'Both changed these entries. Choose for each; everything else goes together by itself.'}
          </p>
          {merged.conflicts.map((conflict) => (
            <Choice
              key={conflict.key}
              conflict={conflict}
              revision={live.revision}
              side={choices.get(conflict.key) ?? null}
              onChoose={(side) => setChoices(new Map(choices).set(conflict.key, side))}
            />
          ))}
          <FormEnd
            mt={12}
            action={open === 0 ? 'Merge' : `Merge (${open} to choose)`}
            isReady={open === 0}
            onAct={() => {
              onMerged({
                base: live.revision,
                content: { kind: 'document', document: merged.document },
              });
              onClose();
            }}
            onCancel={onClose}
          />
        </>
      )}
    </Dialog>
  );
}

type ChoiceProps = {
  conflict: Conflict;
  revision: number;
  side: MergeSide | null;
  onChoose: (side: MergeSide) => void;
};

function Choice({ conflict, revision, side, onChoose }: ChoiceProps) {
  const { section, id, theirs, ours } = conflict;
  return (
    <Radio.Group
      mt={12}
      label={`${nouns[section]} ${id}`}
      value={side}
      onChange={(value) => onChoose(value === 'theirs' ? 'theirs' : 'ours')}
    >
      <div className={classes.sides}>
        <div>
          <Radio value="theirs" label={`Revision ${revision}`} />
          <Entry item={theirs} other={ours} />
        </div>
        <div>
          <Radio value="ours" label="This draft" />
          <Entry item={ours} other={theirs} />
        </div>
      </div>
    </Radio.Group>
  );
}

function Entry({ item, other }: { item: Item | undefined; other: Item | undefined }) {
  if (item === undefined) return <p className="dimmed">Removed</p>;
  return (
    <pre className="code" tabIndex={0}>
      {Object.entries(item).map(([key, value]) => {
        const line = `${key} = ${JSON.stringify(value)}\n`;
        const isSame = JSON.stringify(other?.[key]) === JSON.stringify(value);
        return isSame ? line : <mark key={key}>{line}</mark>;
      })}
    </pre>
  );
}
