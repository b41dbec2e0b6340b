/**
 * The draft: its changes against the live document, the server's validation of it, and its actions.
 */
import {
  Box,
  Button,
  Group,
  Popover,
  Skeleton,
  Switch,
  Textarea,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconBulb, IconCircleCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DocumentProblem, RouterChange, Validation } from '../../api/model';
import { InlineCode } from '../../ui/InlineCode';
import { SelectField } from '../../ui/Fields';
import { useKeys } from '../../ui/useKeys';
import { fetched } from '../../api/code';
import { Dialog } from '../../ui/Dialog';
import { DiffView } from '../../ui/DiffView';
import { Form, FormEnd } from '../../ui/Form';
import { ApiError, problemOf } from '../../api/client';
import { Notice } from '../../ui/Notice';
import { ChangeList, ProblemList } from '../ProblemList';
import type { Item, ItemPlace, RouterDocument } from '../document';
import { type Live, applyDraft, fetchLive, liveQuery } from '../queries';
import { itemsOf } from '../textItems';
import { MergeDialog } from './MergeDialog';
import { shortChangesOf } from './shortChanges';
import { type TypedNames, areTyped, goneLogspaces } from './gone';
import type { Draft } from './edits';
import { GoneLogspaces } from './GoneLogspaces';
import classes from './DraftBar.module.css';

type Props = {
  live: Live;
  draft: Draft;
  /** The draft as a document, if its text can be parsed as one. */
  document: RouterDocument | null;
  validation: Validation | undefined;
  isTesting: boolean;
  /** The result of testing the draft in its present state, in a few words. */
  tested: { text: string; isGood: boolean } | null;
  onValidate: () => void;
  onTest: () => void;
  onShow: (path: string) => void;
  onMerged: (draft: Draft) => void;
  onDiscard: () => void;
  onApplied: (change: RouterChange) => void;
};

const CHANGES_SHOWN = 3;

export function DraftBar(props: Props) {
  const { live, draft, validation, isTesting, tested, onValidate, onTest, onDiscard } = props;
  const [applying, apply] = useDisclosure(false);
  const [comparing, compare] = useDisclosure(false);
  const [merging, merge] = useDisclosure(false);
  const changes = validation?.changes ?? [];
  const briefs = props.document === null ? [] : shortChangesOf(live.document, props.document);
  const named = itemsOf(props.document, draft.content);
  const isBehind = draft.base !== live.revision;
  // A draft with problems is not compared, so there is no number of changes.
  const isWrong = (validation?.problems.length ?? 0) > 0;
  useKeys({
    t: { does: 'Test the draft on history', run: onTest },
    a: {
      does: 'Apply the draft',
      run: () => {
        if (!isWrong) (isBehind ? merge : apply).open();
      },
    },
  });
  return (
    <section className={classes.bar} aria-label="Draft" data-foot>
      <span className={classes.badge}>Draft</span>
      <span className={classes.count}>
        {!isWrong && `${countOf(changes)} `}
        <span className="dimmed">
          {isWrong ? 'based on' : 'to'} revision {draft.base}
        </span>
      </span>
      <ul className={classes.changes} title={changes.join('\n').replaceAll('`', '')}>
        {briefs.slice(0, CHANGES_SHOWN).map(({ what, id }) => (
          <li key={`${what} ${id}`} className="truncate">
            {what} <strong>{id}</strong>
          </li>
        ))}
        {briefs.length > CHANGES_SHOWN && (
          <li className="truncate">and {briefs.length - CHANGES_SHOWN} more</li>
        )}
      </ul>
      <div className={classes.actions}>
        {tested !== null && (
          <span className={classes.opinion} data-tone={tested.isGood ? 'good' : 'caution'}>
            {tested.isGood ? (
              <IconCircleCheck size={16} aria-hidden />
            ) : (
              <IconAlertTriangle size={16} aria-hidden />
            )}
            {tested.text}
          </span>
        )}
        <Opinion
          validation={validation}
          isTested={tested !== null}
          itemAt={named}
          onShow={({ path }) => props.onShow(path)}
        />
        <Button variant="subtle" color="gray" onClick={onDiscard}>
          Discard
        </Button>
        <Button className={classes.spare ?? ''} onClick={onValidate}>
          Validate
        </Button>
        <Button onClick={compare.open}>Diff</Button>
        {!isTesting && (
          <Button variant="light" onClick={onTest}>
            Test on history
          </Button>
        )}
        {isBehind ? (
          <Button variant="filled" onClick={merge.open}>
            Merge…
          </Button>
        ) : (
          <Button variant="filled" disabled={isWrong} onClick={apply.open}>
            Apply…
          </Button>
        )}
      </div>
      {isBehind && (
        <p className={classes.behind} role="status">
          Revision {live.revision} went live after this draft began. Merge it into the draft first.
        </p>
      )}
      <ApplyDialog
        opened={applying && !isBehind}
        draft={draft}
        validation={validation}
        gone={props.document === null ? [] : goneLogspaces(live.document, props.document)}
        itemAt={named}
        onClose={apply.close}
        onBehind={() => {
          apply.close();
          merge.open();
        }}
        onApplied={props.onApplied}
      />
      <DiffDialog
        opened={comparing}
        draft={draft}
        live={live}
        validation={validation}
        onClose={compare.close}
      />
      {merging && isBehind && (
        <MergeDialog
          draft={draft}
          live={live}
          validation={validation}
          onClose={merge.close}
          onMerged={props.onMerged}
        />
      )}
    </section>
  );
}

function countOf(changes: readonly string[]): string {
  return changes.length === 1 ? '1 change' : `${changes.length} changes`;
}

type OpinionProps = {
  validation: Validation | undefined;
  /** Whether the tested draft is the current one. */
  isTested: boolean;
  itemAt: (place: ItemPlace) => Item | undefined;
  onShow: (problem: DocumentProblem) => void;
};

/** The result in a word, with the details in a popover. */
function Opinion({ validation, isTested, itemAt, onShow }: OpinionProps) {
  if (validation === undefined) return <span className="dimmed">checking…</span>;
  const { problems, warnings } = validation;
  if (problems.length > 0) {
    return (
      <Popover position="top-end" width={480}>
        <Popover.Target>
          <UnstyledButton className={classes.opinion} data-tone="bad">
            <IconAlertTriangle size={16} aria-hidden />
            {problems.length === 1 ? '1 problem' : `${problems.length} problems`}
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown p={8}>
          <ProblemList problems={problems} itemAt={itemAt} onShow={onShow} />
        </Popover.Dropdown>
      </Popover>
    );
  }
  return (
    <>
      {!isTested && (
        <span className={classes.opinion} data-tone="good" role="status">
          <IconCircleCheck size={16} aria-hidden /> Valid
        </span>
      )}
      {warnings.length > 0 && (
        <Popover position="top-end" width={420}>
          <Popover.Target>
            <UnstyledButton className={classes.opinion} data-tone="caution">
              <IconBulb size={16} aria-hidden />
              {warnings.length === 1 ? '1 hint' : `${warnings.length} hints`}
            </UnstyledButton>
          </Popover.Target>
          <Popover.Dropdown>
            <ul className="bullets">
              {warnings.map((warning) => (
                <li key={warning.message}>
                  <InlineCode text={warning.message} />
                </li>
              ))}
            </ul>
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  );
}

type DiffDialogProps = {
  opened: boolean;
  draft: Draft;
  live: Live;
  validation: Validation | undefined;
  onClose: () => void;
};

/** The differences between the draft and the live document: as sentences and line by line. */
function DiffDialog({ opened, draft, live, validation, onClose }: DiffDialogProps) {
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

/** Also shown when a draft is about to replace a revision that it is not based on. */
function DraftDiff({ draft, live, validation }: Omit<DiffDialogProps, 'opened' | 'onClose'>) {
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

type ApplyDialogProps = {
  opened: boolean;
  draft: Draft;
  validation: Validation | undefined;
  /** The logspaces that the draft removes from the document. */
  gone: readonly string[];
  /** Finds an item of the document from which the names in problems are taken. */
  itemAt: (place: ItemPlace) => Item | undefined;
  onClose: () => void;
  /** Called if another user has applied a revision first. */
  onBehind: () => void;
  onApplied: (change: RouterChange) => void;
};

const times = [
  { value: '2m', label: '2 minutes' },
  { value: '10m', label: '10 minutes' },
  { value: '30m', label: '30 minutes' },
  { value: '2h', label: '2 hours' },
];

/** Makes a draft live, with a comment, and at first only until somebody confirms it. */
function ApplyDialog(props: ApplyDialogProps) {
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
      // The draft ends once the new revision is loaded: until then, the page would show the previous one.
      queryClient.setQueryData(liveQuery.queryKey, await fetchLive());
      onClose();
      onApplied(change);
      await queryClient.invalidateQueries({ queryKey: ['router'] });
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || !error.is('stale-revision')) return;
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
          <SelectField
            aria-label="Time to confirm"
            miw={128}
            disabled={!isTrial}
            value={within}
            data={times}
            onChange={setWithin}
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

type RefusedProps = Pick<ApplyDialogProps, 'itemAt'> & { error: Error };

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
