/** The server: its facts, its settings and certificates, and a report for those who help with it. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type * as Schemas from './types';

export type About = Schemas.About;
export type Setting = Schemas.SettingInForce;
export type CertificateFile = Schemas.CertificateFile;

export const aboutQuery = queryOptions({
  queryKey: ['about'],
  queryFn: ({ signal }) => unwrap(client.GET('/api/v1/about', { signal })),
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => unwrap(client.GET('/api/v1/settings', { signal })),
});

export const certificatesQuery = queryOptions({
  queryKey: ['certificates'],
  queryFn: ({ signal }) => unwrap(client.GET('/api/v1/certificates', { signal })),
});

export function supportReport(): Promise<string> {
  return unwrap(client.GET('/api/v1/support-report', { parseAs: 'text' }));
}
