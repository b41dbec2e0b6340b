/** A link to this search, and a description of what it will show. */
import { Button, Checkbox, CopyButton, Radio, Stack } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { type TimeRange, presets } from '../../ui/range';
import { type Zone, momentText, useZone, zoneLabel } from '../../ui/time';
import type { SearchState } from '../searchParams';
import { frozen, moves, searchLink } from './link';
import { serverUrl, under } from '../../base';
import { networkError } from '../../api/client';
import classes from './Share.module.css';

type Props = { state: SearchState; onClose: () => void };

export function ShareDialog({ state, onClose }: Props) {
  const [zone] = useZone();
  // Used until the server has reported its time, and if it cannot.
  const [openedAt] = useState(() => Date.now());
  const { data: now } = useQuery(serverNowQuery);
  const isMoving = moves(state.range);
  const [keepsMoving, setKeepsMoving] = useState(!isMoving);
  const [withMessage, setWithMessage] = useState(true);
  const fixed = isMoving ? frozen(state.range, now ?? openedAt) : state.range;
  const range = keepsMoving || fixed === null ? state.range : fixed;
  const link = searchLink(serverUrl(), { ...state, range }, withMessage);
  return (
    <Dialog opened onClose={onClose} title="Share this search">
      <Stack gap="md">
        {isMoving && (
          <Radio.Group
            label="Times"
            value={keepsMoving || fixed === null ? 'moving' : 'fixed'}
            onChange={(value) => setKeepsMoving(value === 'moving')}
          >
            <Stack gap="sm" mt={4}>
              <Radio
                value="fixed"
                disabled={fixed === null}
                label="As they are now"
                description={
                  fixed === null
                    ? 'These times are written in a way that only the server can read.'
                    : rangeText(fixed, zone)
                }
              />
              <Radio
                value="moving"
                label={rangeText(state.range, zone)}
                description="Counted from when the link is opened: newer messages, other results."
              />
            </Stack>
          </Radio.Group>
        )}
        {state.open !== null && (
          <Checkbox
            label="Open the message that is open here"
            checked={withMessage}
            onChange={(event) => setWithMessage(event.currentTarget.checked)}
          />
        )}
        <textarea
          className={classes.link}
          aria-label="Link"
          readOnly
          rows={3}
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
        <p className="small dimmed">
          Opens with the query, columns and view as you see them, after signing in. Everyone sees
          only those messages of {logspacesText(state.logspaces)} that they may read.
        </p>
        <CopyButton value={link} timeout={2000}>
          {({ copied, copy }) => (
            <Button
              variant="filled"
              data-autofocus
              className="selfStart"
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy link'}
            </Button>
          )}
        </CopyButton>
      </Stack>
    </Dialog>
  );
}

function rangeText(range: TimeRange, zone: Zone): string {
  switch (range.kind) {
    case 'last':
      return presets.find(({ span }) => span === range.span)?.label ?? `Last ${range.span}`;
    case 'all':
      return 'All time';
    case 'between': {
      const text = (moment: string) => momentText(moment, zone).replace(/\.\d+$/u, '');
      const start = range.from === null ? 'the beginning' : text(range.from);
      const end = range.to === null ? 'now' : text(range.to);
      return `${start} – ${end}, ${zoneLabel(zone, new Date())}`;
    }
  }
}

function logspacesText(logspaces: readonly string[]): string {
  if (logspaces.length === 0) return 'all logspaces';
  return `${logspaces.length === 1 ? 'the logspace' : 'the logspaces'} ${logspaces.join(', ')}`;
}

/**
 * The header has whole seconds; the current second is added because its messages are visible now.
 */
const RESOLUTION_MS = 1000;

/** The server's clock, to which relative ranges refer. */
export const serverNowQuery = queryOptions({
  queryKey: ['server-now'],
  queryFn: async ({ signal }): Promise<number> => {
    const response = await fetch(under('/healthz'), { cache: 'no-store', signal }).catch(
      networkError,
    );
    const told = Date.parse(response.headers.get('Date') ?? '');
    return Number.isNaN(told) ? Date.now() : told + RESOLUTION_MS;
  },
  staleTime: 0,
  gcTime: 0,
});
