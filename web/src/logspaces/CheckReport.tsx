/** The result of the last check of a logspace, and the progress of the one that runs. */
import type { Verification, Work } from '../api/logspaces';
import { Notice } from '../ui/Notice';
import { formatBytes, formatCount, formatMessages, formatPart } from '../ui/number';
import { formatLength, formatTime, useZone } from '../ui/time';
import type { Check } from './useVerify';
import classes from './Logspaces.module.css';

const FINDINGS_SHOWN = 20;

type Props = {
  id: string;
  check: Check;
  /** The work that is being done on this logspace. */
  work: Work | null;
};

export function CheckReport({ id, check, work }: Props) {
  // Somebody else may have begun it.
  if (work !== null) return <WorkProgress work={work} />;
  switch (check.kind) {
    case 'none':
      return null;
    case 'waiting':
      return <p role="status">The check of {id} waits for another one.</p>;
    case 'running':
      return <div className={classes.busy} role="status" aria-label={`${id} is being verified`} />;
    case 'done':
      return <Done verification={check.verification} at={check.at} />;
  }
}

function Done({ verification, at }: { verification: Verification; at: number }) {
  const [zone] = useZone();
  const { intact, complete, parts, messages, bytes, problems, findings, took_ms } = verification;
  const read = `${formatMessages(messages)} in ${formatCount(parts)} parts, ${formatBytes(bytes)}, read in ${formatLength(took_ms)}`;
  if (intact) {
    return (
      <p className={classes.intact} role="status">
        <b>Intact.</b> {read}, at {formatTime(new Date(at).toISOString(), zone).slice(11, 16)}.
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

/** The progress of the work on a logspace. */
export function WorkProgress({ work }: { work: Work }) {
  const { logspace, kind, done_bytes, of_bytes } = work;
  const what =
    kind === 'verify'
      ? `All that ${logspace} holds is read and compared with its checksums`
      : `The indexes of ${logspace} are rebuilt from its messages`;
  return (
    <div>
      <p role="status">{what}. You can go on; it ends when the console that began it is closed.</p>
      <div className={classes.work}>
        <progress
          value={done_bytes}
          max={Math.max(of_bytes, 1)}
          aria-label={`Progress of ${logspace}`}
        />
        <span className="dimmed">{formatPart(done_bytes, of_bytes)}</span>
      </div>
    </div>
  );
}
