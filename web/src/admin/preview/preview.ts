/**
 * The data an account with a grant would find, queried with the rights of the administrator: the scope is the query,
 * and the logspaces are those of the request.
 */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { client, isRefusal, problemOf, unwrap } from '../../api/client';
import type { Facet, Histogram, Message } from '../../api/model';
import type { Grant } from '../../api/users';

export const spans = ['1h', '24h', '7d'] as const;
export type Span = (typeof spans)[number];

/** The answers to the requests that are sent simultaneously. */
export type ScopePreview = {
  histogram: Histogram;
  /** The facets of `host` and `logspace`. */
  fields: Record<string, Facet>;
  messages: readonly Message[];
};

const SAMPLES = 8;
const BUCKETS = 48;
const LOGSPACES_MAX = 100;

export function scopePreviewQuery({ logspaces, scope }: Grant, span: Span) {
  const asked = {
    query: scope ?? '',
    from: `-${span}`,
    ...(logspaces !== null && { logspaces: [...logspaces] }),
  };
  return queryOptions({
    queryKey: ['grant', asked],
    queryFn: async ({ signal }): Promise<ScopePreview> => {
      const [histogram, { fields }, { messages }] = await Promise.all([
        unwrap(client.POST('/api/v1/histogram', { body: { ...asked, buckets: BUCKETS }, signal })),
        unwrap(
          client.POST('/api/v1/facets', {
            body: { ...asked, fields: ['host', 'logspace'], limit: LOGSPACES_MAX },
            signal,
          }),
        ),
        unwrap(client.POST('/api/v1/search', { body: { ...asked, limit: SAMPLES }, signal })),
      ]);
      return { histogram, fields, messages };
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
}

/** A grant is previewed once it has not changed for this long. */
export const WAIT_MS = 400;

/**
 * Why the scope of a grant cannot be parsed, while it is being edited; undefined if it can, or if
 * that is not known yet.
 */
export function useScopeError(grant: Grant): string | undefined {
  // Compared as text, because an object would be different at each render.
  const [text] = useDebouncedValue(JSON.stringify(grant), WAIT_MS);
  const settled = JSON.parse(text) as Grant;
  const { error } = useQuery({
    ...scopePreviewQuery(settled, '24h'),
    enabled: settled.scope !== null,
  });
  if (settled.scope !== grant.scope || !isUnparsed(error)) return undefined;
  return error?.message;
}

/** Whether the server refused the scope, in which case it names the position of the error. */
export function isUnparsed(error: Error | null): boolean {
  return isRefusal(error) && problemOf(error).column !== undefined;
}

/** A part of something that can be counted. */
export type PreviewPart = { name: string; count: number; of: number };

/** The part of each logspace that the grant names, largest first. */
export function partsOf(grant: Grant, found: ScopePreview, all: ScopePreview): PreviewPart[] {
  const given = countsOf(found);
  const there = countsOf(all);
  const names = grant.logspaces ?? [...there.keys()];
  const parts = names.map((name) => ({
    name,
    count: given.get(name) ?? 0,
    of: Math.max(there.get(name) ?? 0, given.get(name) ?? 0),
  }));
  return parts.sort((a, b) => b.count - a.count);
}

/**
 * Logspaces that are granted in vain: they hold messages, but none matches. A grant of all logspaces chose none in
 * particular.
 */
export function inVain(grant: Grant, parts: readonly PreviewPart[]): PreviewPart[] {
  if (grant.logspaces === null || grant.scope === null) return [];
  return parts.filter(({ count, of }) => count === 0 && of > 0);
}

/** A share such as `8.6 %`, `< 0.1 %` or `100 %`; empty if the whole is empty. */
export function shareText(count: number, of: number): string {
  if (of === 0) return '';
  const percent = (100 * count) / of;
  if (count > 0 && percent < 0.1) return '< 0.1 %';
  // A missing part is never rounded away.
  if (count < of && percent > 99.9) return '> 99.9 %';
  return `${Number(percent.toFixed(1))} %`;
}

function countsOf({ fields }: ScopePreview): Map<string, number> {
  return new Map(fields['logspace']?.values.map(({ value, count }) => [value, count]) ?? []);
}
