/**
 * A summary of the query language, with the fields of the messages in scope. Loaded when help is
 * opened.
 */
import { UnstyledButton } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { formatShort } from '../../ui/number';
import { completeIn } from '../../api/query';
import { knownFields } from '../../ui/message/fields';
import { requestRange } from '../../ui/range';
import type { SearchState } from '../searchParams';
import classes from './Help.module.css';

type Props = { state: SearchState; onUse: (query: string) => void };

export function HelpContent({ state, onUse }: Props) {
  const { data: fields, error } = useQuery(fieldsQuery(state));
  return (
    <>
      <section className={classes.part}>
        <h2>Examples</h2>
        <dl>
          {examples.map(({ query, does }) => (
            <div key={query} className={classes.row}>
              <dt>
                <UnstyledButton
                  className="hoverable padX8 minWidth0 truncate mono line24 accent round4"
                  onClick={() => onUse(query)}
                >
                  {query}
                </UnstyledButton>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className={classes.part}>
        <h2>Fields here</h2>
        {error !== null && <p className="dimmed">The fields could not be loaded.</p>}
        {fields?.length === 0 && <p className="dimmed">No fields in these messages.</p>}
        <ul>
          {fields?.slice(0, FIELDS_SHOWN).map(({ label, insert, distinct }) => (
            <li key={label} className={classes.row}>
              <UnstyledButton
                className="hoverable padX8 minWidth0 truncate mono line24 accent round4"
                title={`Top values of ${label}`}
                onClick={() => onUse(`| top 20 ${insert.replace(/:$/, '')}`)}
              >
                {label}
              </UnstyledButton>
              {distinct !== undefined && (
                <span className="dimmed">
                  {distinct === 1 ? '1 value' : `${formatShort(distinct)} values`}
                </span>
              )}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** The content of the query help: examples that run as they are, and the fields of the messages in scope. */
const FIELDS_SHOWN = 14;

/** The most used of the fields that every message can have. */
const COMMON = ['host', 'program', 'severity', 'facility', 'source'];

const examples = [
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

function fieldsQuery({ range, logspaces }: Pick<SearchState, 'range' | 'logspaces'>) {
  const scope = { ...requestRange(range), logspaces };
  return queryOptions({
    queryKey: ['help', scope],
    queryFn: async ({ signal }) => {
      const { options } = await completeIn(scope)('', 0, signal);
      const fields = options.filter(({ kind }) => kind === 'field');
      // The fields that every message can have are well known; those of the messages in scope are not.
      const isCommon = ({ label }: { label: string }) => knownFields.includes(label);
      const common = fields.filter(({ label }) => COMMON.includes(label));
      return [...common, ...fields.filter((field) => !isCommon(field))];
    },
    staleTime: 60_000,
  });
}
