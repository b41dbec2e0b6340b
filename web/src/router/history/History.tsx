/** Every revision that was ever live: who, when, why, what it changed; and the way back to it. */
import { Button, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Revision } from '../../api/model';
import { DiffView } from '../../ui/DiffView';
import { Notice } from '../../ui/Notice';
import { formatTime, useZone } from '../../ui/time';
import { ChangeList } from '../ChangeList';
import { type Live, revisionQuery, revisionsQuery } from '../queries';
import { RollBackDialog } from './RollBackDialog';
import classes from './History.module.css';

type Props = {
  live: Live;
  shown: number | null;
  canEdit: boolean;
  onShow: (revision: number | null) => void;
};

export function History({ live, shown, canEdit, onShow }: Props) {
  const [zone] = useZone();
  const { data: revisions, error, refetch } = useQuery(revisionsQuery);
  const [returning, setReturning] = useState<number | null>(null);
  if (error !== null) {
    return <Notice tone="error" title={error.message} onRetry={() => void refetch()} />;
  }
  if (revisions === undefined) return <Skeleton height={240} aria-label="Loading" />;
  return (
    <div className="tableBox" tabIndex={0} role="region" aria-label="History">
      <table className={classes.table} aria-label="Revisions">
        <thead>
          <tr>
            <th scope="col">Revision</th>
            <th scope="col">Applied, by</th>
            <th scope="col">Comment</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
      {returning !== null && (
        <RollBackDialog live={live} revision={returning} onClose={() => setReturning(null)} />
      )}
    </div>
  );
}

/** The newest of the older ones; revisions may have gaps. */
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
              <Button
                variant="default"
                aria-expanded={isShown}
                onClick={() => onShow(isShown ? null : number)}
              >
                {isShown ? 'Hide' : 'Show'}
              </Button>
              {onReturn !== null && !revision.live && (
                <Button variant="default" onClick={() => onReturn(number)}>
                  Roll back
                </Button>
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
  if (error !== null) return <Notice tone="error" title={error.message} />;
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
