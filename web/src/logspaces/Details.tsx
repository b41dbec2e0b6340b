/** The open logspace: its retention, its options, and whether it is intact. */
import { Button } from '@mantine/core';
import { IconRefresh, IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Verification, type Work, workQuery } from '../api/logspaces';
import type { LogspaceInfo } from '../api/model';
import type { User } from '../api/session';
import { Notice } from '../ui/Notice';
import { useCommands } from '../ui/commands';
import { formatBytes, formatCount, formatMessages, formatPart } from '../ui/number';
import { formatLength, formatTime, useZone } from '../ui/time';
import { Options } from './change/Options';
import type { Growth } from './growth/growth';
import { type Tab, tabs } from './logspacesParams';
import { mayManage } from './permission';
import { RetentionEditor } from './retention/RetentionEditor';
import { type Check, useReindex } from './useVerify';
import classes from './Logspaces.module.css';

const BUSY_POLL_MS = 500;
const POLL_MS = 5_000;

type Props = {
  info: LogspaceInfo;
  growth: Growth | undefined;
  tab: Tab;
  check: Check;
  user: User | null;
  isVerifying: boolean;
  onVerify: () => void;
  onTab: (tab: Tab) => void;
  onRetired: () => void;
};

export function Details(props: Props) {
  const { info, growth, tab, check, user, isVerifying, onVerify, onTab, onRetired } = props;
  const may = mayManage(user, info.id);
  const reindex = useReindex();
  const isAtIt = isVerifying || reindex.isPending;
  const { data: work = null } = useQuery({
    ...workQuery,
    refetchInterval: isAtIt ? BUSY_POLL_MS : POLL_MS,
  });
  const isBusy = isAtIt || work !== null;
  useCommands(
    may && !isBusy
      ? [
          {
            id: 'reindex',
            title: `Rebuild the indexes of ${info.id}`,
            words: 'reindex repair make again',
            run: () => reindex.mutate(info.id),
          },
        ]
      : [],
  );
  return (
    <section className="minWidth0 panel round10" aria-label={`Logspace ${info.id}`}>
      <div className={classes.boxHead}>
        <h2>{info.id}</h2>
        <div className={classes.tabs} role="group" aria-label="Of the logspace">
          {tabs.map((one) => (
            <button key={one} type="button" aria-pressed={one === tab} onClick={() => onTab(one)}>
              {one === 'retention' ? 'Retention' : 'Options'}
            </button>
          ))}
        </div>
        {may && (
          <div className="flex wrap gap8">
            <Button
              leftSection={<IconShieldCheck size={16} aria-hidden />}
              disabled={isBusy}
              onClick={onVerify}
            >
              Verify
            </Button>
            <Button
              leftSection={<IconRefresh size={16} aria-hidden />}
              disabled={isBusy || info.segments === 0}
              title={
                info.segments === 0
                  ? 'It has no indexes yet: they are made with its first segment'
                  : 'From its messages, while it is in use'
              }
              onClick={() => reindex.mutate(info.id)}
            >
              Rebuild indexes
            </Button>
          </div>
        )}
      </div>
      <div className={classes.boxBody}>
        {info.retention.held != null && (
          <Notice tone="caution" title={info.retention.held}>
            Nothing is removed by age until an administrator confirms that the clock is right.
          </Notice>
        )}
        {info.sealing_error != null && (
          <Notice tone="error" title={info.sealing_error}>
            Messages are still stored and found.
          </Notice>
        )}
        {!info.in_router && (
          <Notice tone="info" title="The router document no longer has this logspace">
            Its messages stay and can be searched; nothing new comes in. A new logspace of the same
            name takes it up again.
          </Notice>
        )}
        <CheckReport id={info.id} check={check} work={work?.logspace === info.id ? work : null} />
        {!may && (
          <p className="dimmed">
            {user?.role === 'analyst'
              ? 'Changing what is kept needs the role operator or admin, which an administrator can give you.'
              : 'What you are granted is limited by a filter, or to other logspaces: an administrator without limits can change what is kept here.'}
          </p>
        )}
        {tab === 'retention' ? (
          <RetentionEditor info={info} growth={growth} may={may && info.in_router} />
        ) : (
          <Options info={info} may={may} user={user} onRetired={onRetired} />
        )}
      </div>
    </section>
  );
}

const FINDINGS_SHOWN = 20;

type CheckReportProps = {
  id: string;
  check: Check;
  /** The current work on this logspace. */
  work: Work | null;
};

/** The result of the last check of a logspace, and the progress of a running one. */
function CheckReport({ id, check, work }: CheckReportProps) {
  // Somebody else may have started it.
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
function WorkProgress({ work }: { work: Work }) {
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
