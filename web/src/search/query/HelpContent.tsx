/** The query language in short, with the fields of the messages here. Loaded when help is opened. */
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatShort } from '../../ui/number';
import type { SearchState } from '../searchParams';
import { FIELDS_SHOWN, examples, fieldsQuery } from './helpQueries';
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
                <UnstyledButton className={classes.use} onClick={() => onUse(query)}>
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
                className={classes.use}
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
