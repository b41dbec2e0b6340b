/** Administration: accounts and their actions, and the server itself. */
import { Button } from '@mantine/core';
import { IconKey, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/session';
import { Empty } from '../ui/Empty';
import { useCommands } from '../ui/commands';
import { address, useOpen } from '../ui/open';
import { AccountsTab } from './accounts/AccountsTab';
import { SidePanel } from './accounts/SidePanel';
import { type AdminState, type Tab, auditRange, tabs, writeAdmin } from './adminParams';
import { AuditTab } from './audit/AuditTab';
import { CertificatesTab, ServerTab, SettingsTab } from './server/ServerTab';
import { SessionsTab } from './sessions/SessionsTab';
import classes from './Admin.module.css';

type Props = {
  state: AdminState;
  /** The range picker of the audit log. */
  picker?: ReactNode;
  onChange: (state: AdminState, replace?: boolean) => void;
};

export function AdminPage(props: Props) {
  const { data: session } = useQuery(sessionQuery);
  if (session?.user?.role !== 'admin') {
    return (
      <Empty title="Admin is for administrators" isPage>
        <p>
          You are signed in with the role {session?.user?.role ?? 'analyst'}. An administrator can
          give you another one, here under Users and tokens.
        </p>
      </Empty>
    );
  }
  return <Permitted {...props} user={session.user.name} />;
}

function Permitted({ state, user, picker, onChange }: Props & { user: string }) {
  const show = (part: Partial<AdminState>) => onChange({ ...state, ...part });
  const newUser = () => show({ tab: 'accounts', panel: { kind: 'new-user' } });
  const newToken = () => show({ tab: 'accounts', panel: { kind: 'new-token' } });
  useCommands([
    { id: 'new-user', title: 'New user', keys: 'n', words: 'add create account', run: newUser },
    { id: 'new-token', title: 'New token', keys: 'N', words: 'add create api', run: newToken },
    ...tabs.map((tab, at) => ({
      id: `tab-${tab}`,
      title: `Show ${labels[tab].toLowerCase()}`,
      keys: `Alt-${at + 1}`,
      run: () => onChange(onTab(state, tab)),
    })),
  ]);
  return (
    <div className="stack minHeight0 fullHeight">
      <header className={classes.head}>
        <h1>Admin</h1>
        <nav className={classes.tabs} aria-label="Sections">
          {tabs.map((tab) => (
            <TabLink key={tab} tab={tab} state={state} />
          ))}
        </nav>
        {state.tab === 'accounts' && (
          <div className={classes.tools}>
            <Button leftSection={<IconKey size={16} aria-hidden />} onClick={newToken}>
              New token
            </Button>
            <Button
              variant="filled"
              leftSection={<IconUserPlus size={16} aria-hidden />}
              onClick={newUser}
            >
              New user
            </Button>
          </div>
        )}
      </header>
      <div className="flex grow minHeight0 relative">
        <div className={classes.tables}>
          <Section state={state} user={user} picker={picker} onChange={onChange} />
        </div>
        {state.tab === 'accounts' && (
          <SidePanel panel={state.panel} user={user} onShow={(panel) => show({ panel })} />
        )}
      </div>
    </div>
  );
}

function Section({ state, user, picker, onChange }: Props & { user: string }) {
  switch (state.tab) {
    case 'accounts':
      return <AccountsTab state={state} onChange={onChange} />;
    case 'sessions':
      return (
        <SessionsTab find={state.find} onFind={(find) => onChange({ ...state, find }, true)} />
      );
    case 'audit':
      return (
        <AuditTab
          query={state.query}
          range={state.range}
          picker={picker}
          user={user}
          onQuery={(query) => onChange({ ...state, query })}
        />
      );
    case 'settings':
      return (
        <SettingsTab
          find={state.find}
          changed={state.changed}
          onFind={(find) => onChange({ ...state, find }, true)}
          onChanged={(changed) => onChange({ ...state, changed }, true)}
        />
      );
    case 'certificates':
      return <CertificatesTab />;
    case 'server':
      return <ServerTab />;
  }
}

function TabLink({ tab, state }: { tab: Tab; state: AdminState }) {
  const open = useOpen();
  const href = address('/admin', writeAdmin(onTab(state, tab)));
  return (
    <a
      href={href}
      aria-current={tab === state.tab ? 'page' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        open(href);
      }}
    >
      {labels[tab]}
    </a>
  );
}

/** The page with another section open. The audit log begins with a week. */
function onTab(state: AdminState, tab: Tab): AdminState {
  if (tab === state.tab) return state;
  const panel = { kind: 'none' } as const;
  return { ...state, tab, panel, find: '', ...(tab === 'audit' && { range: auditRange }) };
}

const labels: Readonly<Record<Tab, string>> = {
  accounts: 'Users and tokens',
  sessions: 'Sessions',
  audit: 'Audit',
  settings: 'Settings',
  certificates: 'Certificates',
  server: 'Server',
};
