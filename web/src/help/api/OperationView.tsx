/** One operation in full: what it needs, takes and answers, a command for curl, and the answer where it can be tried. */
import { Button } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useState } from 'react';
import { Command } from '../../ui/Command';
import { Prose } from '../../ui/Prose';
import { FieldTable } from './FieldTable';
import { Parameters } from './Parameters';
import { TryIt } from './TryIt';
import { type Values, curlOf } from './curl';
import {
  type DescribedAnswer,
  type DescribedBody,
  type Operation,
  type Schema,
  isRead,
} from './description';
import { exampleOf, rowsOf } from './schema';
import classes from './Api.module.css';
import { serverUrl } from '../../base';

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
