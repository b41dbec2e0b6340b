/** The progress of the work on a logspace, and the result of the last one. */
import { Button } from '@mantine/core';
import type { Reindexing, Verification } from '../../api/jobs';
import { Notice } from '../../ui/Notice';
import { formatBytes, formatCount, formatMessages } from '../../ui/number';
import { formatLength, formatTime, useZone } from '../../ui/time';
import { type Check, type CurrentWork, progressText } from './checks';
import { useCancelJob } from './useUpkeep';
import classes from '../Logspaces.module.css';

const FINDINGS_SHOWN = 20;

type Props = {
  id: string;
  check: Check;
  current: CurrentWork | null;
  reindexing: Reindexing | null;
};

export function UpkeepReport({ id, check, current, reindexing }: Props) {
  if (current !== null) return <WorkProgress {...current} />;
  return (
    <>
      <CheckReport id={id} check={check} />
      {reindexing !== null && <IndexReport id={id} reindexing={reindexing} />}
    </>
  );
}

/** The result of the last check of a logspace. */
function CheckReport({ id, check }: { id: string; check: Check }) {
  switch (check.kind) {
    case 'none':
      return null;
    case 'waiting':
      return <p role="status">The check of {id} waits for another one.</p>;
    case 'running':
      return <div className={classes.busy} role="status" aria-label={`${id} is being verified`} />;
    case 'ended':
      return (
        <Notice tone="caution" title="The check did not finish">
          {check.why}
        </Notice>
      );
    case 'done':
      return <Done verification={check.verification} at={check.at} />;
  }
}

function Done({ verification, at }: { verification: Verification; at: number }) {
  const [zone] = useZone();
  const { intact, complete, parts, messages, bytes, problems, findings, took_ms } = verification;
  const held = parts === 1 ? '1 part' : `${formatCount(parts)} parts`;
  const read = `${formatMessages(messages)} in ${held}, ${formatBytes(bytes)}, read in ${formatLength(took_ms)}`;
  if (intact) {
    return (
      <p className={classes.intact} role="status">
        <b>Intact.</b> {read}, at {formatTime(new Date(at).toISOString(), zone).slice(0, 16)}.
      </p>
    );
  }
  if (!complete && problems === 0) {
    return <Notice tone="caution" title="The check did not finish: start it again" />;
  }
  return (
    <Notice tone="error" title={problems === 1 ? '1 problem' : `${formatCount(problems)} problems`}>
      <p>
        {read}. Put the files back from a backup while Logstead runs, and verify again; a damaged
        index is rebuilt by itself.
      </p>
      <ul className="bullets">
        {findings.slice(0, FINDINGS_SHOWN).map(({ file, what, loses_messages }) => (
          <li key={`${file} ${what}`}>
            <code className="mono">{file}</code>: {what}
            {loses_messages && ' (messages cannot be read)'}
          </li>
        ))}
      </ul>
      {findings.length > FINDINGS_SHOWN && <p>And {findings.length - FINDINGS_SHOWN} more.</p>}
    </Notice>
  );
}

function IndexReport({ id, reindexing }: { id: string; reindexing: Reindexing }) {
  const { complete, indexes, messages, failures, took_ms } = reindexing;
  if (failures.length > 0) {
    const title = `${formatCount(failures.length)} indexes of ${id} are not rebuilt`;
    return (
      <Notice tone="error" title={title}>
        {failures[0]}
      </Notice>
    );
  }
  if (!complete) return <Notice tone="error" title={`The indexes of ${id} are rebuilt in part`} />;
  return (
    <div className={classes.intact} role="status">
      <b>The indexes of {id} are rebuilt.</b>{' '}
      <span>
        {formatCount(indexes)} of {formatMessages(messages)}, in {formatLength(took_ms)}
      </span>
    </div>
  );
}

/** The progress of the work on a logspace. */
function WorkProgress({ work, job }: CurrentWork) {
  const cancel = useCancelJob();
  const { logspace, kind, progress } = work;
  const what =
    kind === 'verify'
      ? `All that ${logspace} holds is read and compared with its checksums`
      : `The indexes of ${logspace} are rebuilt from its messages`;
  const isWaiting = job?.state === 'queued';
  return (
    <div>
      <p role="status">
        {what}. {isWaiting && 'It waits for other work to end. '}
        {job === null ? 'Somebody else started it.' : 'It goes on if you leave the page.'}
      </p>
      <div className={classes.work}>
        <progress
          value={progress.total === null ? 0 : progress.done}
          max={Math.max(progress.total ?? 1, 1)}
          aria-label={`Progress of ${logspace}`}
        />
        <span className="dimmed">{progressText(progress)}</span>
        {job !== null && (
          <Button
            size="compact-sm"
            disabled={job.state === 'cancelling'}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(job.id)}
          >
            Cancel
          </Button>
        )}
      </div>
    </div>
  );
}
