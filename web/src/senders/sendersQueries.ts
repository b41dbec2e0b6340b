/** The requests of the senders page. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../api/client';
import type { RouterChange, SenderFrames, SkippedPiece } from '../api/model';
import type { SenderKey } from './sendersParams';

const FRAMES = 20;

export function framesQuery(sender: SenderKey) {
  return queryOptions({
    queryKey: ['senders', 'frames', sender],
    queryFn: async ({ signal }): Promise<SenderFrames['frames']> => {
      const params = { path: sender, query: { limit: FRAMES } };
      const path = '/api/v1/senders/{source}/{host}/frames';
      return (await unwrap(client.GET(path, { params, signal }))).frames;
    },
  });
}

/** The bytes from an address that are in no message. */
export function skippedQuery(address: SenderKey) {
  return queryOptions({
    queryKey: ['senders', 'skipped', address],
    queryFn: async ({ signal }): Promise<SkippedPiece[]> => {
      const path = '/api/v1/senders/{source}/{host}/skipped';
      return (await unwrap(client.GET(path, { params: { path: address }, signal }))).pieces;
    },
  });
}

/** Sets the zone of a sender; null means that of its source. */
export function setTimezone(sender: SenderKey, timezone: string | null): Promise<RouterChange> {
  const params = { path: sender };
  const path = '/api/v1/senders/{source}/{host}/timezone';
  return unwrap(client.PUT(path, { params, body: { timezone } }));
}

export async function forgetSender(sender: SenderKey): Promise<void> {
  await unwrap(client.DELETE('/api/v1/senders/{source}/{host}', { params: { path: sender } }));
}
