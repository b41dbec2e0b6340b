/**
 * Every revision that was live, and the document as a file that can be downloaded, or uploaded into
 * the draft.
 */
import { Button, FileButton, Group, Skeleton, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Table } from '../../ui/Table';
import { Form, FormEnd } from '../../ui/Form';
import { Dialog } from '../../ui/Dialog';
import { Failure, Notice } from '../../ui/Notice';
import type { Revision } from '../../api/model';
import { DiffView } from '../../ui/DiffView';
import { formatTime, useZone } from '../../ui/time';
import {
  type Live,
  backDiffQuery,
  revisionDocumentQuery,
  revisionQuery,
  revisionsQuery,
  rollBack,
} from '../queries';
import { ChangeList } from '../ProblemList';
import { GoneLogspaces } from '../draft/GoneLogspaces';
import { type TypedNames, areTyped, goneLogspaces } from '../draft/gone';
import classes from './History.module.css';

/** The maximum size of a document that the server accepts. */
const UPLOAD_BYTES_MAX = 1_048_576;

type Props = {
  live: Live;
  shown: number | null;
  canEdit: boolean;
  onShow: (revision: number | null) => void;
  onImport: (toml: string) => void;
  onClose: () => void;
};

export function HistoryDialog({ live, shown, canEdit, onShow, onImport, onClose }: Props) {
  const [refused, setRefused] = useState<string | null>(null);
  const upload = async (file: File | null) => {
    if (file === null) return;
    if (file.size > UPLOAD_BYTES_MAX) {
      setRefused(`${file.name} is larger than 1 MiB, so it cannot be a router document.`);
      return;
    }
    onImport(await file.text());
  };
  return (
    <Dialog opened onClose={onClose} size="xl" title="History">
      <Group gap={8} mb={12}>
        <Button
          component="a"
          href={`data:application/toml;charset=utf-8,${encodeURIComponent(live.toml)}`}
          download={`router-${live.revision}.toml`}
        >
          Export revision {live.revision}
        </Button>
        {canEdit && (
          <FileButton
            accept=".toml,application/toml,text/plain"
            onChange={(file) => void upload(file)}
          >
            {(props) => <Button {...props}>Import into the draft…</Button>}
          </FileButton>
        )}
      </Group>
      {refused !== null && <Notice tone="error" title={refused} />}
      <History live={live} shown={shown} canEdit={canEdit} onShow={onShow} />
    </Dialog>
  );
}

type HistoryProps = {
  live: Live;
  shown: number | null;
  canEdit: boolean;
  onShow: (revision: number | null) => void;
};

/**
 * Every revision that was ever live: who made it live, when, why, and its changes; with a way to
 * roll back to it.
 */
function History({ live, shown, canEdit, onShow }: HistoryProps) {
  const [zone] = useZone();
  const { data: revisions, error, refetch } = useQuery(revisionsQuery);
  const [returning, setReturning] = useState<number | null>(null);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (revisions === undefined) return <Skeleton height={240} aria-label="Loading" />;
  return (
    <div className="tableBox" tabIndex={0} role="region" aria-label="History">
      <Table
        className={classes.table}
        aria-label="Revisions"
        heads={['Revision', 'Applied, by', 'Comment']}
      >
        {revisions.map((revision) => (
          <RevisionRows
            key={revision.revision}
            revision={revision}
            time={formatTime(revision.created_at, zone).slice(0, 19)}
            isShown={revision.revision === shown}
            previous={previousOf(revisions, revision.revision)}
            onShow={onShow}
            onReturn={canEdit ? setReturning : null}
          />
        ))}
      </Table>
      {returning !== null && (
        <RollBackDialog live={live} revision={returning} onClose={() => setReturning(null)} />
      )}
    </div>
  );
}

/** The newest of the older revisions; the numbers may have gaps. */
function previousOf(revisions: readonly Revision[], revision: number): number | undefined {
  return revisions.find((one) => one.revision < revision)?.revision;
}

type RowProps = {
  revision: Revision;
  time: string;
  isShown: boolean;
  previous: number | undefined;
  onShow: (revision: number | null) => void;
  onReturn: ((revision: number) => void) | null;
};

function RevisionRows({ revision, time, isShown, previous, onShow, onReturn }: RowProps) {
  const number = revision.revision;
  return (
    <>
      <tr data-shown={isShown}>
        <td>
          {number}
          {revision.live && <span className={classes.live}> live</span>}
        </td>
        <td>
          <span className={classes.time}>{time}</span> {revision.author}
        </td>
        <td className={classes.comment}>
          <div className="row wrap spread gap8 preWrap">
            <span>{revision.comment}</span>
            <Group gap={8} wrap="nowrap">
              <Button aria-expanded={isShown} onClick={() => onShow(isShown ? null : number)}>
                {isShown ? 'Hide' : 'Show'}
              </Button>
              {onReturn !== null && !revision.live && (
                <Button onClick={() => onReturn(number)}>Roll back</Button>
              )}
            </Group>
          </div>
        </td>
      </tr>
      {isShown && (
        <tr>
          <td colSpan={3} className={classes.detail}>
            <RevisionDetail revision={number} previous={previous} />
          </td>
        </tr>
      )}
    </>
  );
}

type DetailProps = { revision: number; previous: number | undefined };

function RevisionDetail({ revision, previous }: DetailProps) {
  const { data, error } = useQuery(revisionQuery(revision, previous));
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Skeleton height={120} aria-label="Loading" />;
  return (
    <>
      {data.diff !== null && (
        <>
          <h2>Changes since revision {previous}</h2>
          <ChangeList changes={data.diff.changes} />
          <DiffView text={data.diff.text} label="Changed lines" />
        </>
      )}
      <details open={data.diff === null}>
        <summary>The whole document</summary>
        <pre className={classes.document} tabIndex={0}>
          {data.toml}
        </pre>
      </details>
    </>
  );
}

type RollBackDialogProps = { live: Live; revision: number; onClose: () => void };

/**
 * The roll back to a revision: shows what it would change before it is done, as sentences and line
 * by line.
 */
function RollBackDialog({ live, revision, onClose }: RollBackDialogProps) {
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
  return (
    <Dialog opened onClose={onClose} size="xl" title={`Roll back to revision ${revision}`}>
      <Form onSubmit={() => isReady && back.mutate()}>
        <Failure error={back.error} />
        <Failure error={asked.error} onRetry={() => void asked.refetch()} />
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
        <FormEnd
          mt={12}
          action="Roll back"
          isReady={isReady}
          isPending={back.isPending}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}

function Difference({ live, revision }: { live: number; revision: number }) {
  const { data, error, refetch } = useQuery(backDiffQuery(live, revision));
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={120} mt={12} aria-label="Loading" />;
  return (
    <section aria-label={`What changes from revision ${live}`}>
      <ChangeList changes={data.changes} />
      <DiffView text={data.text} label="Lines that change" />
    </section>
  );
}
