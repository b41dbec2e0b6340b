/** The open logspace: its retention, its options, and whether it is intact. */
import { Button } from '@mantine/core';
import { IconRefresh, IconShieldCheck } from '@tabler/icons-react';
import type { LogspaceInfo } from '../api/model';
import type { User } from '../api/session';
import { Notice } from '../ui/Notice';
import { useCommands } from '../ui/commands';
import { Options } from './change/Options';
import type { Growth } from './growth/growth';
import { UpkeepReport } from './jobs/UpkeepReport';
import { checkOf, reindexingOf, workOf } from './jobs/checks';
import type { Upkeep } from './jobs/useUpkeep';
import { type Tab, tabs } from './logspacesParams';
import { mayManage } from './permission';
import { RetentionEditor } from './retention/RetentionEditor';
import classes from './Logspaces.module.css';

type Props = {
  info: LogspaceInfo;
  growth: Growth | undefined;
  tab: Tab;
  user: User | null;
  upkeep: Upkeep;
  onTab: (tab: Tab) => void;
  onRetired: () => void;
};

export function Details(props: Props) {
  const { info, growth, tab, user, upkeep, onTab, onRetired } = props;
  const may = mayManage(user, info.id);
  const { jobs, work, start } = upkeep;
  const current = workOf(jobs, work, info.id);
  const isBusy = current !== null;
  useCommands(
    may && !isBusy
      ? [
          {
            id: 'reindex',
            title: `Rebuild the indexes of ${info.id}`,
            words: 'reindex repair make again',
            run: () => start('reindex', [info.id]),
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
              onClick={() => start('verify', [info.id])}
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
              onClick={() => start('reindex', [info.id])}
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
        <UpkeepReport
          id={info.id}
          check={checkOf(jobs, work, info.id)}
          current={current}
          reindexing={reindexingOf(jobs, info.id)}
        />
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
