/**
 * The configurations for sending from each agent and library, ready to be copied, and the arrival of the first message.
 */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import guideText from '../../../docs/agents.md?raw';
import { isForbidden } from '../api/freshness';
import { sessionQuery } from '../api/session';
import { statusQuery } from '../api/status';
import { follow, useOpen, address } from '../ui/open';
import { testWord } from '../ui/testWord';
import { AgentList } from './AgentList';
import { ArrivalPanel } from './ArrivalPanel';
import { Configuration } from './Configuration';
import { PlaceForm } from './PlaceForm';
import { type AgentsState, writeAgents } from './agentParams';
import { listenersOf, wantsToken } from './fill';
import { readGuide } from './guide';
import classes from './AgentsPage.module.css';
import { base } from '../base';

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
