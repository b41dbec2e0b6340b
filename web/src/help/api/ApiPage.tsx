/** Everything that can be asked of the server: operations by subject, and one of them in full. */
import { Skeleton, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Empty } from '../../ui/Empty';
import { Notice } from '../../ui/Notice';
import { useCommands } from '../../ui/commands';
import type { ApiState } from '../helpParams';
import { OperationView } from './OperationView';
import {
  type Description,
  type Operation,
  byTag,
  operationsOf,
  operationsWith,
} from './description';
import { under } from '../../base';
import { client, unwrap } from '../../api/client';
import classes from './Api.module.css';

type Props = { state: ApiState; onChange: (state: ApiState, replace?: boolean) => void };

export function ApiPage({ state, onChange }: Props) {
  const { data, error, refetch } = useQuery(descriptionQuery);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1>API</h1>
        <p className="dimmed">
          {data === undefined
            ? 'What programs can ask of this server'
            : `Version ${data.info.version}, as this server describes it`}
          {' · '}
          <a href={under('/api/v1/openapi.json')} download="logstead-openapi.json">
            OpenAPI description
          </a>
        </p>
      </header>
      {error !== null && (
        <div className={classes.alone}>
          <Notice tone="error" title={error.message} onRetry={() => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && (
        <div className={classes.alone} role="status" aria-label="Loading">
          <Skeleton height={320} />
        </div>
      )}
      {data !== undefined && <Found description={data} state={state} onChange={onChange} />}
    </div>
  );
}

function Found({ description, state, onChange }: Props & { description: Description }) {
  const field = useRef<HTMLInputElement>(null);
  useCommands([
    { id: 'find', title: 'Find an operation', keys: '/', run: () => field.current?.focus() },
  ]);
  const all = operationsOf(description);
  const found = operationsWith(all, state.find);
  const open = all.find(({ id }) => id === state.operation);
  return (
    <div className={classes.columns} data-open={open !== undefined}>
      <nav className={classes.list} aria-label="Operations">
        <TextInput
          ref={field}
          className={classes.find ?? ''}
          aria-label="Find an operation"
          placeholder="Find: queue, POST, retention…"
          value={state.find}
          onChange={(event) => onChange({ ...state, find: event.currentTarget.value }, true)}
        />
        {found.length === 0 && (
          <p className="dimmed">No operation has these words. Try fewer of them.</p>
        )}
        {byTag(found).map(([tag, operations]) => (
          <section key={tag} aria-label={tag}>
            <h2>{tag}</h2>
            <ul>
              {operations.map((operation) => (
                <Entry
                  key={operation.id}
                  operation={operation}
                  isOpen={operation.id === state.operation}
                  onOpen={() => onChange({ ...state, operation: operation.id })}
                />
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className={classes.shown}>
        {open === undefined ? (
          <div className={classes.none}>
            <Empty title={state.operation === null ? 'Choose an operation' : 'No such operation'}>
              Each says what it needs, takes and answers, with a command for curl. What only reads
              can be tried right here.
            </Empty>
          </div>
        ) : (
          <OperationView
            key={open.id}
            operation={open}
            schemas={description.components.schemas}
            onBack={() => onChange({ ...state, operation: null })}
          />
        )}
      </div>
    </div>
  );
}

type EntryProps = { operation: Operation; isOpen: boolean; onOpen: () => void };

function Entry({ operation, isOpen, onOpen }: EntryProps) {
  const entry = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // For links to an operation far down.
    if (isOpen) entry.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li>
      <button
        ref={entry}
        type="button"
        aria-current={isOpen}
        onClick={onOpen}
        title={operation.summary}
      >
        <span className={classes.method} data-method={operation.method}>
          {operation.method}
        </span>
        <span className={classes.path}>{operation.path.replace(/^\/api\/v1/, '')}</span>
      </button>
    </li>
  );
}

/** The description of the API, which does not change while the server runs. */
export const descriptionQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }): Promise<Description> =>
    (await unwrap(client.GET('/api/v1/openapi.json', { signal }))) as unknown as Description,
  staleTime: Infinity,
});
