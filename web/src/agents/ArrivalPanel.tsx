/** Waits for the first message, and shows how it was parsed when it has arrived. */
import { Anchor, Button } from '@mantine/core';
import { IconCircleCheckFilled } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { completeIn } from '../api/query';
import type { Message, RouterStatus } from '../api/model';
import type { User } from '../api/session';
import { Notice } from '../ui/Notice';
import { Command } from '../ui/Copy';
import { formatCount } from '../ui/number';
import { QueryField } from '../ui/query/QueryField';
import { type ArrivalState, WAIT_MAX_MS, searchHref, useArrival } from './arrival';
import classes from './Arrival.module.css';
import { address } from '../ui/open';
import { Severity } from '../ui/Severity';
import { type FieldRow, fieldGroups } from '../ui/message/fields';
import { cut } from '../ui/message/text';
import { formatTime, useZone } from '../ui/time';

type Props = {
  /** The selected agent; choosing another one starts a new wait. */
  agent: string;
  /** The query that the message has to match; null for the test message. */
  query: string | null;
  /** A word that only the test message contains. */
  word: string;
  user: User | null;
  status: RouterStatus | undefined;
  onQuery: (query: string) => void;
};

export function ArrivalPanel({ agent, query: asked, word, user, status, onQuery }: Props) {
  const query = asked ?? word;
  const [round, setRound] = useState(0);
  const [text, setText] = useState(query);
  const again = () => setRound(round + 1);
  const run = () => {
    onQuery(text.trim());
    again();
  };
  return (
    <>
      <Wait key={`${agent} ${round}`} {...{ query, word, status }} onAgain={again} />
      <div>
        <div className="flex alignStart gap8 relative" role="search" aria-label="What to wait for">
          <QueryField
            hasIcon
            label="Query"
            placeholder="Every message, or only what matches: host:web*"
            value={text}
            complete={completeIn({ logspaces: [] })}
            onChange={setText}
            onRun={run}
          />
          <Button size="sm" onClick={run}>
            Wait for this
          </Button>
        </div>
        <p className="marginTop4 dimmed">{seenBy(user)}</p>
      </div>
    </>
  );
}

type WaitProps = {
  query: string;
  word: string;
  status: RouterStatus | undefined;
  onAgain: () => void;
};

function Wait({ query, word, status, onAgain }: WaitProps) {
  const { state, keepWaiting, retry } = useArrival(query);
  const problems = useNewProblems(status);
  const part = useRef<HTMLDivElement>(null);
  const hasArrived = state.kind === 'received';
  useEffect(() => {
    // The user is looking at a terminal: the message is in view when they come back.
    if (hasArrived) part.current?.scrollIntoView({ block: 'nearest' });
  }, [hasArrived]);
  return (
    <>
      <div
        ref={part}
        className={classes.wait}
        data-kind={state.kind}
        data-own={query === word}
        role="status"
        aria-label="First message"
      >
        <StateText
          state={state}
          query={query}
          word={word}
          onAgain={onAgain}
          onKeepWaiting={keepWaiting}
          onRetry={retry}
        />
      </div>
      {!hasArrived &&
        problems.map((problem) => (
          <Notice key={problem} tone="caution" title={problem}>
            <Anchor inherit underline="always" href={address('/router')}>
              Router
            </Anchor>{' '}
            shows what each source receives and refuses.
          </Notice>
        ))}
    </>
  );
}

type StateProps = {
  state: ArrivalState;
  query: string;
  word: string;
  onAgain: () => void;
  onKeepWaiting: () => void;
  onRetry: () => void;
};

function StateText({ state, query, word, onAgain, onKeepWaiting, onRetry }: StateProps) {
  const isOwn = query === word;
  switch (state.kind) {
    case 'waiting':
      return (
        <>
          <Head mark={<span className="pulse" aria-hidden />}>
            {state.isOpen
              ? isOwn
                ? 'Waiting for your test message…'
                : 'Waiting for a message that matches…'
              : 'Connecting…'}
          </Head>
          {isOwn && (
            <>
              <p>Log this word by what you have configured. No other message has it:</p>
              <Command label="Test word" text={word} />
            </>
          )}
          <p className="dimmed">
            {state.others === 0
              ? 'A request that is refused says why in its answer to the sender.'
              : othersText(state.others)}
          </p>
        </>
      );
    case 'received':
      return (
        <>
          <Head
            mark={
              isOwn ? (
                <IconCircleCheckFilled size={20} className="rigid good" aria-hidden />
              ) : undefined
            }
            actions={
              <>
                <Button variant="filled" component="a" href={searchHref(query, state.message)}>
                  Open in Search
                </Button>
                <Button onClick={onAgain}>Wait for another</Button>
              </>
            }
          >
            {isOwn ? 'Received, parsed as:' : 'The first that matches, whoever sent it:'}
          </Head>
          <FirstMessage message={state.message} />
          <p className="dimmed">{countText(state.count)}</p>
        </>
      );
    case 'lost':
      return (
        <>
          <Head
            mark={<span className="pulse" aria-hidden />}
            actions={<Button onClick={onRetry}>Try now</Button>}
          >
            Connection lost; reconnecting
          </Head>
          <p className="dimmed">
            What is received meanwhile is not missed. {state.problem.detail ?? state.problem.title}
          </p>
        </>
      );
    case 'refused':
      return (
        <>
          <Head actions={<Button onClick={onAgain}>Try again</Button>}>
            {state.isForbidden ? 'You may not see messages' : 'The server refused this query'}
          </Head>
          <p className="dimmed">{state.problem.detail ?? state.problem.title}</p>
          {state.isForbidden && (
            <p className="dimmed">You can still send; an administrator can grant you more.</p>
          )}
        </>
      );
    case 'timeout':
      return (
        <>
          <Head actions={<Button onClick={onKeepWaiting}>Keep waiting</Button>}>
            Nothing came in {WAIT_MAX_MS / 60_000} minutes
          </Head>
          <p className="dimmed">
            Does the agent say why in its own log? Can its computer reach the host and the port?{' '}
            <Anchor inherit underline="always" href={address('/router')}>
              Router
            </Anchor>{' '}
            shows what each source receives and refuses.
          </p>
        </>
      );
  }
}

type HeadProps = { mark?: ReactNode; actions?: ReactNode; children: ReactNode };

function Head({ mark, actions, children }: HeadProps) {
  return (
    <div className="row wrap gap8x12 minHeight28">
      {mark}
      <strong>{children}</strong>
      {actions !== undefined && <span className="flex wrap gap8 toEnd">{actions}</span>}
    </div>
  );
}

function othersText(count: number): string {
  return count === 1
    ? '1 other was received meanwhile that does not match.'
    : `${formatCount(count)} others were received meanwhile that do not match.`;
}

function countText(count: number): string {
  return count === 1 ? 'It is the only one so far.' : `${formatCount(count)} so far.`;
}

/** The reason why a user may wait in vain for a message that is stored. */
function seenBy(user: User | null): string {
  const everything =
    'Waits for what arrives from now on and matches this query; at first, for your test message.';
  if (user === null || (user.logspaces === null && user.scope === null)) return everything;
  const places = user.logspaces === null ? '' : ` in ${user.logspaces.join(' and ')}`;
  const scope = user.scope === null ? '' : ` that match ${user.scope}`;
  return `${everything} You see only messages${places}${scope}; others arrive unseen.`;
}

/** Errors of a source that are newer than the wait. */
function useNewProblems(status: RouterStatus | undefined): string[] {
  const [before, setBefore] = useState(status);
  if (before === undefined && status !== undefined) setBefore(status);
  if (before === undefined || status === undefined) return [];
  return status.sources.flatMap(({ id, last_error }) => {
    const known = before.sources.find((source) => source.id === id)?.last_error;
    return last_error == null || last_error === known ? [] : [`Source ${id}: ${last_error}`];
  });
}

const MESSAGE_CHARACTERS_MAX = 1_000;
const VALUE_CHARACTERS_MAX = 200;
/** Maximum number of fields shown: a message can have hundreds of them, which Search shows. */
const ROWS_MAX = 24;

/**
 * A message as it was parsed: the fields that every message has, and its own fields beside them.
 */
function FirstMessage({ message }: { message: Message }) {
  const { text, left } = cut(message.message, MESSAGE_CHARACTERS_MAX);
  return (
    <>
      <p className="preWrap breakAnywhere mono">
        {text}
        {left > 0 && <span className="dimmed"> … {left} more characters</span>}
      </p>
      <div className={classes.groups}>
        {fieldGroups(message).map(({ title, rows }) => (
          <section key={title} className={classes.group} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {rows.slice(0, ROWS_MAX).map((row, at) => (
                <div key={`${row.field} ${at}`} className={classes.row}>
                  <dt>{row.field}</dt>
                  <dd>
                    <Value row={row} message={message} />
                  </dd>
                </div>
              ))}
            </dl>
            {rows.length > ROWS_MAX && (
              <p className="dimmed">{rows.length - ROWS_MAX} more in Search</p>
            )}
          </section>
        ))}
      </div>
    </>
  );
}

function Value({ row: { field, kind, value }, message }: { row: FieldRow; message: Message }) {
  const [zone] = useZone();
  if (kind === 'time') return <time dateTime={value}>{formatTime(value, zone)}</time>;
  if (field === 'severity') return <Severity message={message} />;
  const { text, left } = cut(value, VALUE_CHARACTERS_MAX);
  return (
    <>
      {text}
      {left > 0 && '…'}
    </>
  );
}
