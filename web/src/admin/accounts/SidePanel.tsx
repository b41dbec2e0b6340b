/** The panel beside the tables: somebody or something to make, to look at or to change. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { tokensQuery } from '../../api/tokens';
import { sessionsOfQuery, usersQuery } from '../../api/users';
import { useKeys } from '../../ui/useKeys';
import type { Panel } from '../adminParams';
import { NewTokenPanel } from './NewTokenPanel';
import { NewUserPanel } from './NewUserPanel';
import { PanelFrame } from './PanelFrame';
import { TokenPanel } from './TokenPanel';
import { UserPanel } from './UserPanel';
import classes from './Panel.module.css';

type Props = {
  panel: Panel;
  /** The user who is signed in. */
  user: string;
  onShow: (panel: Panel) => void;
};

export function SidePanel({ panel, user, onShow }: Props) {
  if (panel.kind === 'none') return null;
  return (
    <aside className={classes.side} aria-label="Details">
      <Content panel={panel} user={user} onShow={onShow} />
    </aside>
  );
}

type ContentProps = { panel: Exclude<Panel, { kind: 'none' }> } & Omit<Props, 'panel'>;

function Content({ panel, user, onShow }: ContentProps) {
  const users = useQuery(usersQuery);
  const tokens = useQuery(tokensQuery);
  const close = () => {
    onShow({ kind: 'none' });
    returnFocus(panel);
  };
  useKeys({ Escape: { does: 'Close the panel', run: close } });
  useEffect(() => {
    document.getElementById('panel-title')?.focus();
  }, [panel.kind]);
  switch (panel.kind) {
    case 'new-user':
      return <NewUserPanel onMade={(name) => onShow({ kind: 'user', name })} onClose={close} />;
    case 'new-token':
      return <NewTokenPanel onMade={(id) => onShow({ kind: 'token', id })} onClose={close} />;
    case 'user': {
      const found = users.data?.find(({ name }) => name === panel.name);
      if (found === undefined) {
        return <Missing what={`user ${panel.name}`} isLoading={users.isPending} onClose={close} />;
      }
      return <Known key={found.name} user={found} isSelf={found.name === user} onClose={close} />;
    }
    case 'token': {
      const found = tokens.data?.find(({ id }) => id === panel.id);
      if (found === undefined) {
        return <Missing what={`token ${panel.id}`} isLoading={tokens.isPending} onClose={close} />;
      }
      return <TokenPanel key={found.id} token={found} onClose={close} />;
    }
  }
}

function Known(props: Omit<Parameters<typeof UserPanel>[0], 'sessions'>) {
  const { data = null } = useQuery(sessionsOfQuery(props.user.name));
  return <UserPanel {...props} sessions={data} />;
}

type MissingProps = { what: string; isLoading: boolean; onClose: () => void };

function Missing({ what, isLoading, onClose }: MissingProps) {
  return (
    <PanelFrame title={isLoading ? 'Loading' : `There is no ${what}`} onClose={onClose}>
      {!isLoading && <p>It may have been removed, or belong to what you cannot manage.</p>}
    </PanelFrame>
  );
}

/** To the row that was opened. */
function returnFocus(panel: Panel): void {
  const rows = document.querySelectorAll<HTMLElement>('[data-user], [data-token]');
  const row = [...rows].find(
    ({ dataset }) =>
      (panel.kind === 'user' && dataset['user'] === panel.name) ||
      (panel.kind === 'token' && dataset['token'] === String(panel.id)),
  );
  row?.focus();
}
