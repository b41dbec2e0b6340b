/** The audit log: actions and who took them, searched in the query language. */
import { Anchor, Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { type AuditEntry, auditQuery } from '../../api/users';
import { logspacesQuery } from '../../api/logspaces';
import { Notice } from '../../ui/Notice';
import { useCommands } from '../../ui/commands';
import { address, follow, useOpen } from '../../ui/open';
import { QueryField, type QueryFieldHandle } from '../../ui/query/QueryField';
import { type TimeRange, requestRange, writeRange } from '../../ui/range';
import { formatTime, useZone } from '../../ui/time';
import { Loading, TableFrame } from '../PagePart';
import { completeAudit } from './completeAudit';
import classes from '../Admin.module.css';
import own from './Audit.module.css';

const FIRST = 100;
const STEP = 5;
const LIMIT_MAX = 10_000;
const AUDIT_LOGSPACE = '_audit';

type Props = {
  query: string;
  range: TimeRange;
  picker?: ReactNode;
  user: string;
  onQuery: (query: string) => void;
};

export function AuditTab(props: Props) {
  const { query, range, picker, onQuery } = props;
  const field = useRef<QueryFieldHandle>(null);
  const [typed, setTyped] = useState({ query, text: query });
  // If the query in the address changes, it replaces the text that is being edited.
  const text = typed.query === query ? typed.text : query;
  useCommands([
    { id: 'audit-query', title: 'To the query', keys: '/', run: () => field.current?.focus() },
  ]);
  return (
    <section className="rigid panel round10" aria-label="Audit">
      <div className="row wrap gap8 pad12x16">
        <div className={own.query}>
          <QueryField
            ref={field}
            label="Query of the audit log"
            placeholder="action:session.refused user:ana"
            value={text}
            complete={completeAudit}
            onChange={(next) => setTyped({ query, text: next })}
            onRun={() => onQuery(text.trim())}
          />
        </div>
        {picker}
      </div>
      <Entries key={JSON.stringify([query, range])} {...props} />
    </section>
  );
}

function Entries({ query, range, onQuery }: Props) {
  const open = useOpen();
  const [limit, setLimit] = useState(FIRST);
  const { from, to } = requestRange(range);
  const asked = {
    query,
    limit,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  const { data, error, refetch, isFetching } = useQuery({
    ...auditQuery(asked),
    placeholderData: keepPreviousData,
  });
  if (error !== null) {
    return (
      <div className={own.said}>
        <Notice tone="error" title={error.message} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (data === undefined) return <Loading rows={8} />;
  const { entries, complete } = data;
  if (entries.length === 0) {
    return (
      <div className={own.said}>
        <p>
          {query === ''
            ? 'Nobody did anything in this time.'
            : 'Nothing that was done in this time matches.'}
        </p>
        <p className="dimmed">
          Choose a longer time above{query === '' ? '.' : ', or ask for less: '}
          {query !== '' && (
            <Button variant="subtle" size="compact-xs" onClick={() => onQuery('')}>
              Show all actions
            </Button>
          )}
        </p>
      </div>
    );
  }
  return (
    <div onClick={(event) => follow(event, open)}>
      <div className={own.sum}>
        <span className="dimmed" role="status">
          {complete ? '' : 'The newest '}
          {entries.length} {entries.length === 1 ? 'action' : 'actions'}
        </span>
        <InSearch query={query} range={range} />
      </div>
      <TableFrame label="List of actions" heads={['Time', 'Who', 'Action', 'Detail']}>
        {entries.map((entry, at) => (
          // Entries have no id; new ones only appear at the top, with another answer.
          <Row key={`${entry.time} ${at}`} entry={entry} />
        ))}
      </TableFrame>
      {!complete && (
        <div className="pad12x16 lineTop">
          {limit < LIMIT_MAX ? (
            <Button
              loading={isFetching}
              onClick={() => setLimit(Math.min(limit * STEP, LIMIT_MAX))}
            >
              Show older actions
            </Button>
          ) : (
            <p className="dimmed">There are more: choose a shorter time or a narrower query.</p>
          )}
        </div>
      )}
    </div>
  );
}

function Row({ entry: { time, user, account, action, detail } }: { entry: AuditEntry }) {
  const [zone] = useZone();
  const isRefused = action.endsWith('.refused');
  return (
    <tr>
      <td className={own.time}>
        <time dateTime={time}>{formatTime(time, zone).slice(0, 19)}</time>
      </td>
      <th scope="row" title={account ?? undefined}>
        {user}
      </th>
      <td>
        <span className={classes.tag} data-tone={isRefused ? 'warn' : undefined}>
          {action}
        </span>
      </td>
      <td className={own.detail}>{detail}</td>
    </tr>
  );
}

/** A link to the same entries as messages, if they are stored in a logspace. */
function InSearch({ query, range }: { query: string; range: TimeRange }) {
  const { data: logspaces = [] } = useQuery(logspacesQuery);
  if (!logspaces.some(({ id }) => id === AUDIT_LOGSPACE)) return null;
  const href = address('/search', {
    logspace: AUDIT_LOGSPACE,
    ...writeRange(range),
    ...(query !== '' && { q: query }),
  });
  return (
    <Anchor href={href} size="sm">
      Open {AUDIT_LOGSPACE} in Search
    </Anchor>
  );
}
