/** The audit log: the actions of accounts. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type * as Schemas from './types';

export type AuditEntry = Schemas.AuditEntry;

export type AuditRequest = { query: string; from?: string; to?: string; limit: number };

export function auditQuery(asked: AuditRequest) {
  const { query, ...rest } = asked;
  const params = { query: { ...rest, ...(query.trim() !== '' && { query }) } };
  return queryOptions({
    queryKey: ['audit', asked],
    queryFn: ({ signal }) => unwrap(client.GET('/api/v1/audit', { params, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
