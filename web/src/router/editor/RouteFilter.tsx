/**
 * The filter of a route: a query as in the search, and the number of messages that it matches in
 * the last hour.
 */
import { Anchor } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import { completeIn } from '../../api/query';
import { formatShort } from '../../ui/number';
import { QueryField } from '../../ui/query/QueryField';
import { initialRange, requestRange } from '../../ui/range';
import { address } from '../../ui/open';

type Props = {
  where: string;
  error: string | undefined;
  canEdit: boolean;
  onChange: (where: string) => void;
};

const WAIT_MS = 400;
const complete = completeIn({ ...requestRange(initialRange), logspaces: [] });

export function RouteFilter({ where, error, canEdit, onChange }: Props) {
  const [query] = useDebouncedValue(where.trim(), WAIT_MS);
  const { data } = useQuery(countQuery(query));
  const all = useQuery(countQuery(''));
  return (
    <section aria-label="Takes">
      <div className="flex wrap spread alignBaseline gapX8 marginBottom4 meta">
        <h3>Takes</h3>
        {data !== undefined && all.data !== undefined && (
          <span className="dimmed">
            {formatShort(data)} of {formatShort(all.data)} in the last hour{' '}
            <Anchor size="xs" underline="always" href={address('/search', { q: query })}>
              See them
            </Anchor>
          </span>
        )}
      </div>
      {canEdit ? (
        <QueryField
          label="Filter"
          placeholder="Everything"
          value={where}
          isBad={error !== undefined}
          complete={complete}
          onChange={onChange}
          onRun={() => undefined}
        />
      ) : (
        <code className="code">{where === '' ? 'everything' : where}</code>
      )}
      {error !== undefined && (
        <p className="marginTop4 meta bad" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}

function countQuery(query: string) {
  return {
    queryKey: ['router', 'takes', query],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<number> => {
      const body = { query, ...requestRange(initialRange) };
      return (await unwrap(client.POST('/api/v1/count', { body, signal }))).count;
    },
    staleTime: 30_000,
    retry: false,
  };
}
