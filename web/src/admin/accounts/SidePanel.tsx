/** The panel beside the tables, in which a user or a token is created, shown or changed. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { type TokenEntry, sessionsOfQuery, tokensQuery, usersQuery } from '../../api/users';
import { useKeys } from '../../ui/useKeys';
import { formatBytes, formatCount } from '../../ui/number';
import { formatTime, useZone } from '../../ui/time';
import type { Panel } from '../adminParams';
import { Preview } from '../preview/Preview';
import { NewTokenPanel } from './NewTokenPanel';
import { NewUserPanel } from './NewUserPanel';
import { PanelFrame } from './PanelFrame';
import { UserPanel } from './UserPanel';
import { RevokeDialog, RotateDialog } from './RotateDialog';
import { Expires, May, RoleTag } from './AccountFacts';
import { usedText } from './rows';
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

/** Returns the focus to the row that was opened. */
function returnFocus(panel: Panel): void {
  const rows = document.querySelectorAll<HTMLElement>('[data-user], [data-token]');
  const row = [...rows].find(
    ({ dataset }) =>
      (panel.kind === 'user' && dataset['user'] === panel.name) ||
      (panel.kind === 'token' && dataset['token'] === String(panel.id)),
  );
  row?.focus();
}

/** A token: its rights, its creator, and the actions on it. Its rights cannot be changed. */
function TokenPanel({ token, onClose }: { token: TokenEntry; onClose: () => void }) {
  const [zone] = useZone();
  const [asked, setAsked] = useState<'rotate' | 'revoke' | null>(null);
  const [now] = useState(Date.now);
  const { created_at, former_until, limits } = token;
  const day = (time: string) => formatTime(time, zone).slice(0, 16);
  return (
    <PanelFrame
      title={token.name}
      about={`Token, made ${day(created_at).slice(0, 10)} by ${token.created_by}`}
      mark={<IconKey size={20} aria-hidden />}
      onClose={onClose}
      foot={
        <>
          <span className={classes.footNote}>
            Rights cannot be changed: make another token, then revoke this one.
          </span>
          <Button onClick={() => setAsked('rotate')}>Rotate…</Button>
          <Button variant="outline" color="red" onClick={() => setAsked('revoke')}>
            Revoke…
          </Button>
        </>
      }
    >
      <dl className={classes.facts}>
        <dt>Role</dt>
        <dd>
          <RoleTag role={token.role} />
        </dd>
        <dt>May</dt>
        <dd>
          <May token={token} />
        </dd>
        <dt>Last used</dt>
        <dd>{usedText(token, now)}</dd>
        <dt>Expires</dt>
        <dd>
          <Expires token={token} now={now} zone={zone} />
        </dd>
        {former_until !== null && (
          <>
            <dt>Former secret</dt>
            <dd>works until {day(former_until)}</dd>
          </>
        )}
        <dt>Limits</dt>
        <dd>{limitsText(limits)}</dd>
      </dl>
      {token.role !== 'ingest' && <Preview who={token.name} grant={token} />}
      {asked === 'rotate' && <RotateDialog token={token} onClose={() => setAsked(null)} />}
      {asked === 'revoke' && (
        <RevokeDialog token={token} now={now} onClose={() => setAsked(null)} />
      )}
    </PanelFrame>
  );
}

function limitsText(limits: TokenEntry['limits']): string {
  const { messages_per_second, bytes_per_second, body_bytes } = limits;
  const parts = [
    ...(messages_per_second == null ? [] : [`${formatCount(messages_per_second)} messages/s`]),
    ...(bytes_per_second == null ? [] : [`${formatBytes(bytes_per_second)}/s`]),
    ...(body_bytes == null ? [] : [`${formatBytes(body_bytes)} a request`]),
  ];
  return parts.length === 0 ? 'none' : parts.join(', ');
}
