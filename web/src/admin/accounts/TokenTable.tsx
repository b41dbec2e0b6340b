/** The tokens of programs: when each was last used, and until when it is valid. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconKey, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { TokenEntry } from '../../api/tokens';
import { useZone } from '../../ui/time';
import type { AdminState, Panel, SortKey } from '../adminParams';
import { PagePart } from '../PagePart';
import { TableFrame } from '../TableFrame';
import { Expires, May, RoleTag } from './AccountFacts';
import { RevokeDialog } from './RevokeDialog';
import { RotateDialog } from './RotateDialog';
import { SortHead } from './SortHead';
import {
  UNUSED_DAYS,
  attention,
  countText,
  expiryOf,
  shownTokens,
  unusedDays,
  usedText,
} from './rows';
import classes from '../Admin.module.css';

type Props = {
  tokens: readonly TokenEntry[] | null;
  now: number;
  error: Error | null;
  state: AdminState;
  hrefOf: (panel: Panel) => string;
  onSort: (by: SortKey) => void;
  onRetry: () => void;
};

type Asked = { what: 'rotate' | 'revoke'; token: TokenEntry };

export function TokenTable({ tokens, now, error, state, hrefOf, onSort, onRetry }: Props) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { sort, find, panel } = state;
  const shown = shownTokens(tokens ?? [], find, sort);
  const todo = attention(tokens ?? [], now);
  return (
    <PagePart
      label="Tokens"
      note={
        <>
          {tokens !== null && <>{countText(shown.length, tokens.length)} · </>}a secret is shown
          once, and stored as a hash
        </>
      }
      tools={
        todo === '' ? undefined : (
          <span className={classes.tag} data-tone="warn">
            {todo}
          </span>
        )
      }
      isLoading={tokens === null}
      error={error}
      onRetry={onRetry}
    >
      {tokens?.length === 0 && (
        <p className={classes.none}>
          No program has a token yet. Make one for each program that sends or asks, so that each can
          be replaced alone.
        </p>
      )}
      {tokens !== null && tokens.length > 0 && shown.length === 0 && (
        <p className={classes.none}>No token matches “{find}”.</p>
      )}
      {shown.length > 0 && (
        <TableFrame label="List of tokens">
          <thead>
            <tr>
              <SortHead label="Name" by="name" {...{ sort, onSort }} />
              <SortHead label="Role" by="role" {...{ sort, onSort }} />
              <th scope="col">May</th>
              <SortHead label="Last used" by="used" isNumber {...{ sort, onSort }} />
              <SortHead label="Expires" by="expires" isNumber {...{ sort, onSort }} />
              <th scope="col">
                <span className="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((token) => (
              <Row
                key={token.id}
                token={token}
                now={now}
                isOpen={panel.kind === 'token' && panel.id === token.id}
                href={hrefOf({ kind: 'token', id: token.id })}
                onAsk={(what) => setAsked({ what, token })}
              />
            ))}
          </tbody>
        </TableFrame>
      )}
      {asked?.what === 'rotate' && (
        <RotateDialog token={asked.token} onClose={() => setAsked(null)} />
      )}
      {asked?.what === 'revoke' && (
        <RevokeDialog token={asked.token} now={now} onClose={() => setAsked(null)} />
      )}
    </PagePart>
  );
}

type RowProps = {
  token: TokenEntry;
  now: number;
  isOpen: boolean;
  href: string;
  onAsk: (what: Asked['what']) => void;
};

function Row({ token, now, isOpen, href, onAsk }: RowProps) {
  const [zone] = useZone();
  const isUnused = unusedDays(token, now) >= UNUSED_DAYS;
  const expiry = expiryOf(token, now).kind;
  return (
    <tr data-open={isOpen}>
      <th scope="row">
        <a className={classes.who} href={href} data-token={token.id}>
          <IconKey size={14} aria-hidden />
          {token.name}
          {token.former_until !== null && <span className={classes.tag}>two secrets</span>}
        </a>
      </th>
      <td>
        <RoleTag role={token.role} />
      </td>
      <td>
        <May token={token} />
      </td>
      <td className={`${classes.number ?? ''} ${isUnused ? (classes.bad ?? '') : ''}`}>
        {usedText(token, now)}
      </td>
      <td className={classes.number}>
        <Expires token={token} now={now} zone={zone} />
      </td>
      <td className={classes.number}>
        {isUnused || expiry === 'ended' ? (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={`Revoke ${token.name}`}
            onClick={() => onAsk('revoke')}
          >
            Revoke
          </Button>
        ) : null}
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon size={24} aria-label={`More about ${token.name}`}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconRefresh size={14} />} onClick={() => onAsk('rotate')}>
              Rotate…
            </Menu.Item>
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={14} />}
              onClick={() => onAsk('revoke')}
            >
              Revoke…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </td>
    </tr>
  );
}
