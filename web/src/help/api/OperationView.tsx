/** One operation in full: what it needs, takes and answers, a command for curl, and the answer where it can be tried. */
import { Button, TextInput } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Table } from '../../ui/Table';
import { Prose } from '../../ui/Prose';
import { type Values, addressOf, curlOf, missingOf } from './curl';
import {
  type DescribedAnswer,
  type DescribedBody,
  type Operation,
  type Parameter,
  type Schema,
  isRead,
} from './description';
import { type Row, aboutOf, exampleOf, rowsOf, typeText } from './schema';
import classes from './Api.module.css';
import { serverUrl } from '../../base';
import { Command, Copy } from '../../ui/Copy';
import { Notice } from '../../ui/Notice';
import { formatBytes } from '../../ui/number';
import { type TryOutcome, send } from './send';

type Props = {
  operation: Operation;
  schemas: Readonly<Record<string, Schema>>;
  onBack: () => void;
};

export function OperationView({ operation, schemas, onBack }: Props) {
  const { method, path, summary, about, needs, parameters, bodies, answers } = operation;
  const [values, setValues] = useState<Values>({});
  const [body] = bodies;
  const example = body === undefined ? null : { type: body.type, text: textOf(body, schemas) };
  const curl = curlOf(operation, values, serverUrl(), example);
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

type OfSchemas = Pick<Props, 'schemas'>;

function BodyView({ body, schemas }: OfSchemas & { body: DescribedBody }) {
  const rows = rowsOf(body.schema, schemas);
  return (
    <>
      <h3>
        Body <span className="dimmed">{body.type}</span>
      </h3>
      {rows.length > 0 && <FieldTable label={`Fields of the body, ${body.type}`} rows={rows} />}
      {body.type === 'application/json' && (
        <pre className={classes.code} tabIndex={0} role="region" aria-label="Example of the body">
          {textOf(body, schemas)}
        </pre>
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
    </details>
  );
}

function textOf({ type, schema }: DescribedBody, schemas: OfSchemas['schemas']): string {
  if (type !== 'application/json') return '…';
  return JSON.stringify(exampleOf(schema, schemas), null, 2);
}

/** The fields of an object, those of inner objects indented. */
function FieldTable({ label, rows }: { label: string; rows: readonly Row[] }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={label}>
      <Table className={classes.table} heads={['Field', 'Type', 'Meaning']}>
        {rows.map(({ name, depth, type, isRequired, about }, at) => (
          <tr key={at}>
            <td style={{ paddingLeft: 8 + 16 * depth }}>
              <code>{name}</code>
            </td>
            <td>
              {type}
              {isRequired && <span className={classes.required}> required</span>}
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

/** The parameters of an operation, each with a field: what is written there is in the command, and is sent. */
function Parameters({ parameters, schemas, values, onChange }: ParametersProps) {
  return (
    <div className={classes.parameters}>
      {parameters.map(({ name, in: place, required, description, schema = {}, example }) => (
        <TextInput
          key={name}
          label={
            <>
              <code>{name}</code>{' '}
              <span className={classes.type}>
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
          spellCheck={false}
          value={values[name] ?? ''}
          onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
        />
      ))}
    </div>
  );
}

/** Longer than any answer that is worth waiting for on a page. */
const WAIT_MAX_MS = 30_000;

/** Sends what is written, and shows the answer as it came. */
function TryIt({ operation, values }: { operation: Operation; values: Values }) {
  const missing = missingOf(operation, values);
  const trial = useMutation({
    mutationFn: () => send(addressOf(operation, values), AbortSignal.timeout(WAIT_MAX_MS)),
  });
  return (
    <>
      <div className={classes.try}>
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
