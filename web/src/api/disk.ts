/** The free space of the disk, by the server's metrics. */
import { queryOptions } from '@tanstack/react-query';
import { under } from '../base';
import { networkError } from './client';

export type Disk = { totalBytes: number; freeBytes: number };

/** Null without the right to read the metrics, and if the server does not know. */
export const diskQuery = queryOptions({
  queryKey: ['disk'],
  queryFn: async ({ signal }): Promise<Disk | null> => {
    const response = await fetch(under('/metrics'), { signal }).catch(networkError);
    return response.ok ? diskIn(await response.text()) : null;
  },
  staleTime: 30_000,
});

export function diskIn(metrics: string): Disk | null {
  const valueOf = (name: string) => {
    const [, value] = new RegExp(`^logstead_${name} (\\S+)$`, 'm').exec(metrics) ?? [];
    return value === undefined ? NaN : Number(value);
  };
  const disk = { totalBytes: valueOf('disk_bytes'), freeBytes: valueOf('disk_free_bytes') };
  return Number.isNaN(disk.totalBytes) || Number.isNaN(disk.freeBytes) ? null : disk;
}
