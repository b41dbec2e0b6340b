/** A token: what it may do, who made it, and what can be done about it. Its rights cannot be changed. */
import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import type { TokenEntry } from '../../api/tokens';
import { formatBytes, formatCount } from '../../ui/number';
import { formatTime, useZone } from '../../ui/time';
import { Preview } from '../preview/Preview';
import { PanelFrame } from './PanelFrame';
import { RevokeDialog } from './RevokeDialog';
import { RotateDialog } from './RotateDialog';
import { Expires, May, RoleTag } from './AccountFacts';
import { usedText } from './rows';
import classes from './Panel.module.css';

export function TokenPanel({ token, onClose }: { token: TokenEntry; onClose: () => void }) {
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
          <Button variant="default" onClick={() => setAsked('rotate')}>
            Rotate…
          </Button>
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
