/**
 * The configurations for sending from each agent and library, ready to be copied, and the arrival of the first message.
 */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import guideText from '../../../docs/agents.md?raw';
import { isForbidden } from '../api/freshness';
import { sessionQuery } from '../api/session';
import { statusQuery } from '../api/status';
import { follow, useOpen, address } from '../ui/open';
import { testWord } from '../ui/testWord';
import { ArrivalPanel } from './ArrivalPanel';
import { Configuration } from './Configuration';
import { type AgentsState, writeAgents } from './agentParams';
import { listenersOf, wantsToken } from './fill';
import { type Agent, agentsWith, readGuide } from './guide';
import classes from './AgentsPage.module.css';
import { base } from '../base';
import { useKeys } from '../ui/useKeys';
import { makeIngestToken } from '../api/users';
import { Notice } from '../ui/Notice';
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
      <div className={classes.columns}>
        <AgentList agents={agents} chosen={agent.id} linkTo={linkTo} onOpen={open} />
        <div className={classes.chosen}>
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

/** The agents by groups, with a field that filters them; arrow keys move through both. */
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
        <section key={group} className={agentListClasses.group} aria-label={group}>
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
  /** Null where no token is needed. */
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
        <TextInput
          label="Host"
          description="The name or address that senders use"
          value={host}
          spellCheck={false}
          onChange={(event) => onHost(event.currentTarget.value)}
        />
        {token !== null && (
          <div className={classes.token}>
            <TextInput
              className={classes.secret ?? ''}
              label="Token"
              description="It may send, and nothing else"
              placeholder={mayMake ? 'Paste one, or make one' : 'Paste one'}
              value={token}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => onToken(event.currentTarget.value)}
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
      {make.error !== null && <Notice tone="error" title={make.error.message} />}
    </>
  );
}
