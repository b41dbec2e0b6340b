/** The content of the query help: examples that run as they are, and the fields of the messages in scope. */
import { queryOptions } from '@tanstack/react-query';
import { completeIn } from '../../api/complete';
import { knownFields } from '../../ui/message/fields';
import { requestRange } from '../../ui/range';
import type { SearchState } from '../searchParams';

export const FIELDS_SHOWN = 14;

/** The most used of the fields that every message can have. */
const COMMON = ['host', 'program', 'severity', 'facility', 'source'];

export const examples = [
  { query: 'failed', does: 'Has this word' },
  { query: '"connection refused"', does: 'Has this phrase' },
  { query: 'severity>=err', does: 'At least this severe' },
  { query: 'host:web*', does: 'A field begins with this' },
  { query: 'program in (sshd, sudo)', does: 'One of several values' },
  { query: 'error -host:test*', does: 'Both, but not the second' },
  { query: 'timeout OR refused', does: 'At least one of them' },
  { query: '/disk \\d+ %/', does: 'A regular expression' },
  { query: '| top 10 host', does: 'The most frequent values' },
  { query: '| timechart count() by severity', does: 'A chart over time' },
];

export function fieldsQuery({ range, logspaces }: Pick<SearchState, 'range' | 'logspaces'>) {
  const scope = { ...requestRange(range), logspaces };
  return queryOptions({
    queryKey: ['help', scope],
    queryFn: async ({ signal }) => {
      const { options } = await completeIn(scope)('', 0, signal);
      const fields = options.filter(({ kind }) => kind === 'field');
      // Those that every message can have are known by heart; what these messages have of their own is not.
      const isCommon = ({ label }: { label: string }) => knownFields.includes(label);
      const common = fields.filter(({ label }) => COMMON.includes(label));
      return [...common, ...fields.filter((field) => !isCommon(field))];
    },
    staleTime: 60_000,
  });
}
