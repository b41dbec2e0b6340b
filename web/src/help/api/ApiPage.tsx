/** The API reference: operations by subject, and one of them in full. */
import { Button, Skeleton, TextInput } from '@mantine/core';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { IconArrowLeft } from '@tabler/icons-react';
import { Empty } from '../../ui/Empty';
import { Notice } from '../../ui/Notice';
import { TextField } from '../../ui/Fields';
import { useCommands } from '../../ui/commands';
import type { ApiState } from '../helpParams';
import {
  type DescribedAnswer,
  type DescribedBody,
  type Description,
  type Operation,
  type Parameter,
  type Schema,
  byTag,
  isRead,
  operationsOf,
  operationsWith,
} from './description';
import { serverUrl, under } from '../../base';
import { client, unwrap } from '../../api/client';
import { Table } from '../../ui/Table';
import { Prose } from '../../ui/Prose';
import { Command, Copy } from '../../ui/Copy';
import { formatBytes } from '../../ui/number';
import { type Values, addressOf, curlOf, missingOf } from './curl';
import { type Row, aboutOf, rowsOf, typeText } from './schema';
import { type TryOutcome, send } from './send';
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
    // For links to an operation far down the page.
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
const descriptionQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }): Promise<Description> =>
    (await unwrap(client.GET('/api/v1/openapi.json', { signal }))) as unknown as Description,
  staleTime: Infinity,
});

type OperationViewProps = {
  operation: Operation;
  schemas: Readonly<Record<string, Schema>>;
  onBack: () => void;
};

/**
 * One operation in full: its requirements, parameters and answers, a curl command, and the answer
 * if it can be tried.
 */
function OperationView({ operation, schemas, onBack }: OperationViewProps) {
  const { method, path, summary, about, needs, parameters, bodies, answers } = operation;
  const [values, setValues] = useState<Values>({});
  const [body] = [...bodies.filter(({ example }) => example !== null), ...bodies];
  const sent = body === undefined ? null : { type: body.type, text: body.example ?? '…' };
  const curl = curlOf(operation, values, serverUrl(), sent);
  return (
    <article className={classes.operation} aria-label={`${method} ${path}`}>
      <div className={classes.back}>
        <Button variant="subtle" leftSection={<IconArrowLeft size={16} />} onClick={onBack}>
          All operations
        </Button>
      </div>
      <h2 className={classes.address}>
        <span className={classes.method} data-method={method}>
          {method}
        </span>{' '}
        <span className={classes.whole}>{path}</span>
      </h2>
      <p>
        <Prose text={summary} />
      </p>
      {about !== '' && (
        <p>
          <Prose text={about} />
        </p>
      )}
      <h3>Needs</h3>
      <p>
        {needs}
        {method !== 'GET' && !needs.startsWith('Nothing') && (
          <> With a session, also its token in the header X-CSRF-Token.</>
        )}
      </p>
      {parameters.length > 0 && (
        <>
          <h3>Parameters</h3>
          <Parameters {...{ parameters, schemas, values }} onChange={setValues} />
        </>
      )}
      {bodies.map((one) => (
        <BodyView key={one.type} body={one} schemas={schemas} />
      ))}
      <h3>With curl</h3>
      <Command label="Command for curl" text={curl} />
      {isRead(operation) ? (
        <TryIt operation={operation} values={values} />
      ) : (
        <p className="dimmed">
          {method === 'GET'
            ? 'Its answer goes on until you stop it, or leads elsewhere: only as a command.'
            : 'It may change something: only as a command.'}
        </p>
      )}
      <h3>Answers</h3>
      {answers.map((answer) => (
        <AnswerView key={answer.status} answer={answer} schemas={schemas} />
      ))}
    </article>
  );
}

type OfSchemas = Pick<OperationViewProps, 'schemas'>;

function BodyView({ body, schemas }: OfSchemas & { body: DescribedBody }) {
  const rows = rowsOf(body.schema, schemas);
  return (
    <>
      <h3>
        Body <span className="dimmed">{body.type}</span>
      </h3>
      {rows.length > 0 && <FieldTable label={`Fields of the body, ${body.type}`} rows={rows} />}
      {body.example !== null && (
        <Example label={`Example of the body, ${body.type}`} text={body.example} />
      )}
    </>
  );
}

function AnswerView({ answer, schemas }: OfSchemas & { answer: DescribedAnswer }) {
  const { status, about, bodies } = answer;
  const rows = bodies.flatMap(({ schema }) => rowsOf(schema, schemas));
  const types = bodies.map(({ type }) => type).join(', ');
  const head = (
    <>
      <b>{status === 'default' ? 'Any other' : status}</b> <Prose text={about} />{' '}
      <span className="dimmed">{types}</span>
    </>
  );
  if (rows.length === 0) return <p className={classes.answer}>{head}</p>;
  return (
    <details className={classes.answer}>
      <summary>{head}</summary>
      <FieldTable label={`Fields of answer ${status}`} rows={rows} />
      {bodies.map(({ type, example }) => {
        return (
          example !== null && (
            <Example key={type} label={`Example of the answer ${status}, ${type}`} text={example} />
          )
        );
      })}
    </details>
  );
}

function Example({ label, text }: { label: string; text: string }) {
  return (
    <pre className={classes.code} tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

/** The fields of an object; those of inner objects are indented. */
function FieldTable({ label, rows }: { label: string; rows: readonly Row[] }) {
  return (
    <div className="scrollX" tabIndex={0} role="region" aria-label={label}>
      <Table className={classes.table} heads={['Field', 'Type', 'Meaning']}>
        {rows.map(({ name, depth, type, isRequired, about }, at) => (
          <tr key={at}>
            <td style={{ paddingLeft: 8 + 16 * depth }}>
              <code>{name}</code>
            </td>
            <td>
              {type}
              {isRequired && <span className="caution"> required</span>}
            </td>
            <td>
              <Prose text={about} />
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

type ParametersProps = {
  parameters: readonly Parameter[];
  schemas: Readonly<Record<string, Schema>>;
  values: Values;
  onChange: (values: Values) => void;
};

/**
 * The parameters of an operation, each with a field, whose value is used in the command and in the
 * request.
 */
function Parameters({ parameters, schemas, values, onChange }: ParametersProps) {
  return (
    <div className={classes.parameters}>
      {parameters.map(({ name, in: place, required, description, schema = {}, example }) => (
        <TextField
          key={name}
          label={
            <>
              <code>{name}</code>{' '}
              <span className="regular dimmed">
                {typeText(schema, schemas)}
                {place !== 'query' && ` in the ${place}`}
              </span>
            </>
          }
          description={
            <Prose text={[description, aboutOf(schema, schemas)].filter(Boolean).join(' ')} />
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          withAsterisk={required === true}
          placeholder={typeof example === 'string' ? example : ''}
          autoComplete="off"
          value={values[name] ?? ''}
          onChange={(text) => onChange({ ...values, [name]: text })}
        />
      ))}
    </div>
  );
}

/** Longer than any answer for which waiting on a page is worthwhile. */
const WAIT_MAX_MS = 30_000;

/** Sends the request as filled in, and shows the answer as received. */
function TryIt({ operation, values }: { operation: Operation; values: Values }) {
  const missing = missingOf(operation, values);
  const trial = useMutation({
    mutationFn: () => send(addressOf(operation, values), AbortSignal.timeout(WAIT_MAX_MS)),
  });
  return (
    <>
      <div className="row wrap gap8x12">
        <Button
          variant="filled"
          disabled={missing.length > 0}
          loading={trial.isPending}
          onClick={() => trial.mutate()}
        >
          Try it
        </Button>
        <span className="dimmed">
          {missing.length > 0
            ? `First write ${missing.join(' and ')} above.`
            : 'It only reads. It is sent as you, with your session.'}
        </span>
      </div>
      {trial.error !== null && (
        <Notice tone="error" title="There was no answer" onRetry={() => trial.mutate()}>
          {trial.error.message}
        </Notice>
      )}
      {trial.data !== undefined && <Shown outcome={trial.data} />}
    </>
  );
}

function Shown({ outcome }: { outcome: TryOutcome }) {
  const { status, took_ms, bytes, isCut, text } = outcome;
  return (
    <section aria-label="Answer">
      <p className={classes.outcome} role="status">
        <b data-good={status < 400}>{status}</b> in {Math.max(1, Math.round(took_ms))} ms,{' '}
        {isCut ? `the first ${formatBytes(bytes)}` : formatBytes(bytes)}
        <Copy what="the answer" text={text} />
      </p>
      <pre className={classes.code} tabIndex={0} role="region" aria-label="Body of the answer">
        {text === '' ? 'The answer has no body.' : text}
      </pre>
    </section>
  );
}
