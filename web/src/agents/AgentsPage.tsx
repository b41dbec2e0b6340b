/**
 * The configurations for sending from each agent and library, ready to be copied, and the arrival of the first message.
 */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Anchor, Button, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import guideText from '../../../docs/agents.md?raw';
import { isForbidden } from '../api/freshness';
import { sessionQuery } from '../api/session';
import { statusQuery } from '../api/status';
import { TextField } from '../ui/Fields';
import { follow, useOpen, address } from '../ui/open';
import { testWord } from '../ui/testWord';
import { ArrivalPanel } from './ArrivalPanel';
import { type AgentsState, writeAgents } from './agentParams';
import {
  type ListenerNeed,
  type SendTarget,
  fill,
  listenersOf,
  meets,
  needsOf,
  wantsToken,
} from './fill';
import { type Agent, agentsWith, readGuide, runsOf } from './guide';
import classes from './AgentsPage.module.css';
import { base } from '../base';
import { useKeys } from '../ui/useKeys';
import { makeIngestToken } from '../api/users';
import { Failure, Notice } from '../ui/Notice';
import { Command } from '../ui/Copy';
import { isLocal } from '../ui/firstMessage';
import agentListClasses from './AgentList.module.css';

const guide = readGuide(guideText);

type Props = {
  state: AgentsState;
  onChange: (state: AgentsState) => void;
};

export function AgentsPage({ state, onChange }: Props) {
  const open = useOpen();
  const { data: session } = useQuery(sessionQuery);
  const asked = useQuery(statusQuery);
  const { data: status } = asked;
  const [host, setHost] = useState(location.hostname);
  const [token, setToken] = useState('');
  const [word] = useState(testWord);
  const name = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (state.agent !== null) name.current?.scrollIntoView();
  }, [state.agent]);
  const { agents } = guide;
  const agent = agents.find(({ id }) => id === state.agent) ?? agents[0];
  if (agent === undefined) return null;
  const place = {
    host: host.trim() === '' ? location.hostname : host.trim(),
    token: token.trim(),
    web: { protocol: location.protocol, port: location.port, base },
    listeners: status === undefined ? null : listenersOf(status),
    word,
  };
  const needsToken = agent.blocks.some(({ kind, text }) => kind === 'code' && wantsToken(text));
  const linkTo = (id: string) => address('/send', writeAgents({ ...state, agent: id }));
  return (
    <div className={classes.page} onClick={(event) => follow(event, open)}>
      <header>
        <h1>Send logs</h1>
        <p className="dimmed">
          Choose what you have, copy its configuration, and see its first message arrive.
        </p>
      </header>
      <div className="listAndContent">
        <AgentList agents={agents} chosen={agent.id} linkTo={linkTo} onOpen={open} />
        <div className="stack gap16 minWidth0">
          <h2 ref={name} className={classes.name}>
            {agent.name}
          </h2>
          <PlaceForm
            host={host}
            token={needsToken ? token : null}
            purpose={agent.id}
            mayMake={session?.user?.role === 'admin'}
            onHost={setHost}
            onToken={setToken}
          />
          <Configuration
            agent={agent}
            place={place}
            sources={guide.sources}
            mayKnowPorts={!isForbidden(asked.error)}
          />
          <ArrivalPanel
            agent={agent.id}
            query={state.query}
            word={word}
            user={session?.user ?? null}
            status={status}
            onQuery={(query) => onChange({ ...state, query })}
          />
        </div>
      </div>
    </div>
  );
}

type AgentListProps = {
  agents: readonly Agent[];
  chosen: string;
  linkTo: (id: string) => string;
  onOpen: (href: string) => void;
};

/** The agents in groups, with a field that filters them; arrow keys move through both. */
function AgentList({ agents, chosen, linkTo, onOpen }: AgentListProps) {
  const [filter, setFilter] = useState('');
  const list = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': { does: 'Go to the filter', run: () => field.current?.focus() } });
  const shown = agentsWith(agents, filter);
  const groups = [...new Set(shown.map(({ group }) => group))];
  const [first] = shown;
  const move = (event: KeyboardEvent, by: 1 | -1) => {
    const stops = [field.current, ...(list.current?.querySelectorAll('a') ?? [])];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    event.preventDefault();
    stops[at + by]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(event, 1);
    if (event.key === 'ArrowUp') move(event, -1);
    const isSubmit = event.key === 'Enter' && event.target === field.current;
    if (isSubmit && first !== undefined) onOpen(linkTo(first.id));
  };
  return (
    <nav className={agentListClasses.list} aria-label="Agents" ref={list} onKeyDown={onKeyDown}>
      <TextInput
        ref={field}
        aria-label="Filter agents"
        placeholder="Filter"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      {groups.map((group) => (
        <section key={group} aria-label={group}>
          <h2 className={agentListClasses.title}>{group}</h2>
          <ul className={agentListClasses.items}>
            {shown
              .filter((agent) => agent.group === group)
              .map(({ id, name }) => (
                <li key={id}>
                  <a
                    className={agentListClasses.item}
                    href={linkTo(id)}
                    aria-current={id === chosen ? 'page' : undefined}
                  >
                    {name}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 && (
        <p className={agentListClasses.none}>
          No agent of that name. Anything that sends syslog or HTTP works: see Devices and curl.
        </p>
      )}
    </nav>
  );
}

type PlaceFormProps = {
  host: string;
  /** Null if no token is needed. */
  token: string | null;
  /** The name that a new token is derived from. */
  purpose: string;
  mayMake: boolean;
  onHost: (host: string) => void;
  onToken: (token: string) => void;
};

/**
 * The values that the configurations are filled in with. The token is kept while the page is open, and nowhere else.
 */
function PlaceForm({ host, token, purpose, mayMake, onHost, onToken }: PlaceFormProps) {
  const make = useMutation({
    mutationFn: () => makeIngestToken(purpose),
    onSuccess: (made) => onToken(made.token),
  });
  const isMade = make.data !== undefined && make.data.token === token;
  return (
    <>
      <div className={classes.place}>
        <TextField
          label="Host"
          description="The name or address that senders use"
          value={host}
          onChange={onHost}
        />
        {token !== null && (
          <div className={classes.token}>
            <TextField
              className={classes.secret ?? ''}
              label="Token"
              description="It may send, and nothing else"
              placeholder={mayMake ? 'Paste one, or make one' : 'Paste one'}
              value={token}
              autoComplete="off"
              onChange={onToken}
            />
            {mayMake && (
              <Button
                size="sm"
                variant={token === '' ? 'filled' : 'default'}
                loading={make.isPending}
                onClick={() => make.mutate()}
              >
                Make a token
              </Button>
            )}
          </div>
        )}
      </div>
      {token !== null && isMade && (
        <p className="dimmed" role="status">
          The token “{make.data.name}” is shown this once: it is gone when you leave this page.
        </p>
      )}
      {token === '' && !mayMake && (
        <p className="dimmed">
          An administrator can make a token of the role ingest on this page. Until you paste it,
          TOKEN stands in its place below.
        </p>
      )}
      <Failure error={make.error} />
    </>
  );
}

type ConfigurationProps = {
  agent: Agent;
  place: SendTarget;
  sources: readonly string[];
  /** Whether the server would tell this user the ports of its listeners. */
  mayKnowPorts: boolean;
};

/** The documentation of an agent, with all placeholders filled in. */
export function Configuration(props: ConfigurationProps) {
  const { agent, place, sources, mayKnowPorts } = props;
  const { name, blocks } = agent;
  const codes = blocks.filter(({ kind }) => kind === 'code');
  const labelOf = (block: (typeof blocks)[number]) =>
    codes.length === 1
      ? `${name} configuration`
      : `${name} configuration ${codes.indexOf(block) + 1}`;
  return (
    <div className={classes.configuration}>
      {blocks.map((block, at) => {
        const text = fill(block.text, place);
        if (block.kind === 'text') return <Paragraph key={at} text={text} />;
        return (
          <div key={at} className={classes.block}>
            <Command label={labelOf(block)} text={text} />
            {needsOf(block.text).map((need) => (
              <Reach
                key={need.kind}
                need={need}
                place={place}
                sources={sources}
                mayKnowPorts={mayKnowPorts}
              />
            ))}
          </div>
        );
      })}
    </div>
  );
}

type ReachProps = Omit<ConfigurationProps, 'agent'> & { need: ListenerNeed };

/** Problems that would otherwise only show as an endless wait. */
function Reach({ need, place: { host, listeners }, sources, mayKnowPorts }: ReachProps) {
  if (listeners === null) return <PortUnknown need={need} mayKnow={mayKnowPorts} />;
  const router = (
    <Anchor inherit underline="always" href={address('/router')}>
      Router
    </Anchor>
  );
  const fitting = listeners.filter((listener) => meets(listener, need));
  if (fitting.length > 0) {
    const isOutOfReach = fitting.every((listener) => listener.isLocal) && !isLocal(`//${host}`);
    if (!isOutOfReach) return null;
    return (
      <Notice tone="caution" title="Only programs on the server’s own computer reach this">
        For others, an operator gives the source an address such as 0.0.0.0 in {router}.
      </Notice>
    );
  }
  const source = sources.find((text) => text.includes(`kind = "${need.kind}"`));
  const { kind, scheme, port } = need;
  return (
    <Notice
      tone="caution"
      title={`Nothing listens for this yet: a source of kind ${kind} is missing`}
    >
      <p>
        An operator adds it in {router}, listening on{' '}
        <code className="mono">{`${scheme}://0.0.0.0:${port}`}</code>
        {source === undefined ? '.' : ', or as text:'}
      </p>
      {source !== undefined && <Command label={`${kind} source`} text={source} />}
    </Notice>
  );
}

function PortUnknown({
  need: { kind, scheme },
  mayKnow,
}: {
  need: ListenerNeed;
  mayKnow: boolean;
}) {
  const what = kind === scheme ? kind : `${kind} over ${scheme}`;
  if (mayKnow) {
    return <p className="dimmed">PORT is filled in as soon as the server says where it listens.</p>;
  }
  return (
    <Notice tone="caution" title={`The port for ${what} is not known to you`}>
      PORT stands in its place. An administrator or an operator sees it on this page.
    </Notice>
  );
}

function Paragraph({ text }: { text: string }) {
  return (
    <p>
      {runsOf(text).map(({ kind, text: words }, at) => {
        switch (kind) {
          case 'plain':
            return words;
          case 'code':
            return (
              <code key={at} className="mono">
                {words}
              </code>
            );
          case 'emphasis':
            return <em key={at}>{words}</em>;
        }
      })}
    </p>
  );
}
