/**
 * Leads from a new server to a first message that can be found, step by step; it can be left and
 * resumed.
 */
import { Anchor, Button, Tabs } from '@mantine/core';
import { IconArrowRight, IconCheck, IconCircleCheckFilled } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { follow, useOpen, address } from '../ui/open';
import { type Arrival, arrivalQuery, waitedMs } from './arrival';
import { testWord } from '../ui/testWord';
import type { Message } from '../api/model';
import { isForbidden } from '../api/freshness';
import { failedListeners, listeningUrls, statusQuery } from '../api/status';
import { Failure, Notice } from '../ui/Notice';
import {
  curlCommand,
  isLocalOnly,
  loggerCommand,
  netcatCommand,
  receiverOf,
  rsyslogConfig,
  syslogNgConfig,
} from '../ui/firstMessage';
import { seesAll, sessionQuery } from '../api/session';
import { makeIngestToken } from '../api/users';
import { Command } from '../ui/Copy';
import { serverUrl } from '../base';
import { momentText, useZone } from '../ui/time';
import type { WelcomeStep } from './welcomeParams';
import { examplesFor } from './examples';
import classes from './WelcomePage.module.css';

type Props = { step: WelcomeStep; onStep: (step: WelcomeStep) => void };

export function WelcomePage({ step, onStep }: Props) {
  const open = useOpen();
  /** Goes to Search, with this query over all time. */
  const onSearch = (query: string) =>
    open(address('/search', query === '' ? {} : { q: query, from: 'all' }));
  const [word] = useState(testWord);
  const { data: arrival, error } = useQuery(arrivalQuery(word));
  const hasArrived = arrival?.message != null;
  return (
    <div className={classes.page}>
      <header className="flex spread alignStart gap16">
        <div>
          <h1>Set up Logstead</h1>
          <p className="dimmed">
            Three steps. You can leave at any time and come back: Ctrl K, Send a test message.
          </p>
        </div>
        <Button className="rigid" variant="subtle" onClick={() => onSearch('')}>
          Skip
        </Button>
      </header>
      <Steps step={step} hasArrived={hasArrived} onStep={onStep} />
      {step === 'send' ? (
        <section className="stack gap16" aria-labelledby="send">
          <h2 id="send" className="text16 line24">
            Send a test message
          </h2>
          <p>
            Run one of these in a terminal, on this computer or any other that can reach the server.
          </p>
          <Listeners />
          <SendCommands word={word} />
          <p className="dimmed" onClick={(event) => follow(event, open)}>
            <Anchor inherit underline="always" href={address('/send')}>
              Send logs
            </Anchor>{' '}
            has the configurations of other agents, containers and libraries.
          </p>
          <ArrivalPanel arrival={arrival} error={error} onNext={() => onStep('look')} />
        </section>
      ) : (
        <section className="stack gap16" aria-labelledby="look">
          <h2 id="look" className="text16 line24">
            Look at it in Search
          </h2>
          <FirstSearch
            message={arrival?.message ?? arrival?.newest ?? null}
            onSearch={onSearch}
            onBack={() => onStep('send')}
          />
        </section>
      )}
    </div>
  );
}

type StepsProps = { step: WelcomeStep; hasArrived: boolean; onStep: (step: WelcomeStep) => void };

function Steps({ step, hasArrived, onStep }: StepsProps) {
  const steps = [
    { id: null, name: 'Create the administrator', done: true },
    { id: 'send', name: 'Send a test message', done: hasArrived },
    { id: 'look', name: 'Look at it in Search', done: false },
  ] as const;
  return (
    <ol className={classes.steps}>
      {steps.map(({ id, name, done }, at) => (
        <li
          key={name}
          className={classes.stepName}
          data-done={done}
          aria-current={id === step ? 'step' : undefined}
        >
          <span className={classes.number}>
            {done ? <IconCheck size={14} role="img" aria-label="Done:" /> : at + 1}
          </span>
          {id === null || id === step ? (
            <span>{name}</span>
          ) : (
            <button type="button" className={classes.link} onClick={() => onStep(id)}>
              {name}
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

type FirstSearchProps = {
  message: Message | null;
  onSearch: (query: string) => void;
  onBack: () => void;
};

/** The first searches to try, with the received message as the example. */
function FirstSearch({ message, onSearch, onBack }: FirstSearchProps) {
  if (message === null) {
    return (
      <>
        <p>Nothing has come in yet: there is more to see with a first message.</p>
        <div>
          <Button variant="filled" size="sm" onClick={onBack}>
            Send a test message
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <MessageLine message={message} />
      <p>Each of these finds it. A query can be as short as a word:</p>
      <ul className={classes.examples}>
        {examplesFor(message).map(({ query, finds }) => (
          <li key={query}>
            <button type="button" className={classes.example} onClick={() => onSearch(query)}>
              <code className="breakAnywhere mono">{query}</code>
              <span className="dimmed">{finds}</span>
              <IconArrowRight size={16} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <div>
        <Button variant="filled" size="sm" onClick={() => onSearch('')}>
          Open Search
        </Button>
      </div>
    </>
  );
}

/** The listeners of the server, and what to do if one could not open a socket. */
function Listeners() {
  const { data: status, error } = useQuery(statusQuery);
  if (status === undefined) {
    return isForbidden(error) ? (
      <Notice tone="caution" title="The port is not known to you">
        PORT stands in its place. An administrator or an operator sees it on this page.
      </Notice>
    ) : null;
  }
  const up = listeningUrls(status);
  const failed = status.sources.flatMap(({ listeners }) => failedListeners(listeners));
  return (
    <>
      {failed.map(({ url, error }) => (
        <Notice key={url} tone="caution" title={`${url} could not be opened and is tried again`}>
          {error ?? 'Another program may use the port: stop it, or give the source another one.'}
        </Notice>
      ))}
      {up.length === 0 ? (
        <Notice tone="caution" title="No source listens">
          Add one in Router, such as tcp://0.0.0.0:5514; messages can be posted over HTTP
          nevertheless.
        </Notice>
      ) : (
        <p className="row wrap gap8">
          <span className="dimmed">Logstead listens on</span>
          {up.map((url) => (
            <code key={url} className="padX8 mono panel round4">
              {url}
            </code>
          ))}
        </p>
      )}
      {isLocalOnly(up) && (
        <p className="dimmed">
          Only programs on the server&rsquo;s own computer reach these: for others, give the source
          an address such as 0.0.0.0 in Router.
        </p>
      )}
    </>
  );
}

const ways = ['logger', 'nc', 'curl', 'rsyslog', 'syslog-ng'] as const;
type Way = (typeof ways)[number];

/** Commands for sending a message, ready to be copied. */
function SendCommands({ word }: { word: string }) {
  const [way, setWay] = useState<Way>('logger');
  const { data: status } = useQuery(statusQuery);
  const listeners = status === undefined ? null : listeningUrls(status);
  const host = location.hostname;
  const text = `hello logstead ${word}`;
  const receiver = receiverOf(listeners, host);
  return (
    <Tabs
      value={way}
      onChange={(chosen) => setWay(ways.find((known) => known === chosen) ?? 'logger')}
      keepMounted={false}
    >
      <Tabs.List aria-label="Ways to send">
        {ways.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {one}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="logger" className={classes.way ?? ''}>
        <Command label="logger command" text={loggerCommand(listeners, host, text)} />
        <p className="dimmed">It is on every Linux; on macOS take nc.</p>
      </Tabs.Panel>
      <Tabs.Panel value="nc" className={classes.way ?? ''}>
        <Command label="nc command" text={netcatCommand(receiver, text)} />
        <p className="dimmed">Any bytes that end with a new line are a message.</p>
      </Tabs.Panel>
      <Tabs.Panel value="curl" className={classes.way ?? ''}>
        <OverHttp text={text} />
      </Tabs.Panel>
      <Tabs.Panel value="rsyslog" className={classes.way ?? ''}>
        <Command label="rsyslog configuration" text={rsyslogConfig(receiver)} />
        <Restart service="rsyslog" text={text} />
      </Tabs.Panel>
      <Tabs.Panel value="syslog-ng" className={classes.way ?? ''}>
        <Command label="syslog-ng configuration" text={syslogNgConfig(receiver)} />
        <Restart service="syslog-ng" text={text} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Restart({ service, text }: { service: string; text: string }) {
  return (
    <>
      <p>
        Restart it and write something to its log:
        <span className="dimmed"> the message is the test.</span>
      </p>
      <Command
        label="restart command"
        text={`sudo systemctl restart ${service} && logger '${text}'`}
      />
    </>
  );
}

/**
 * Sending over HTTP needs a token, which an administrator can create here. It is shown once and not
 * stored.
 */
function OverHttp({ text }: { text: string }) {
  const { data: session } = useQuery(sessionQuery);
  const make = useMutation({ mutationFn: () => makeIngestToken('set-up') });
  return (
    <>
      <Command
        label="curl command"
        text={curlCommand(serverUrl(), make.data?.token ?? 'TOKEN', text)}
      />
      {make.data === undefined && session?.user?.role === 'admin' && (
        <div>
          <Button loading={make.isPending} onClick={() => make.mutate()}>
            Make a token
          </Button>
        </div>
      )}
      <p className="dimmed">
        {make.data === undefined
          ? 'TOKEN stands for an API token. An administrator can make one.'
          : `The token "${make.data.name}" is shown this once: keep it, or remove it after the test.`}
      </p>
      <Failure error={make.error} />
    </>
  );
}

type ArrivalPanelProps = { arrival: Arrival | undefined; error: Error | null; onNext: () => void };

/** Waits for the test message, and shows it once it has arrived. */
export function ArrivalPanel({ arrival, error, onNext }: ArrivalPanelProps) {
  const message = arrival?.message ?? null;
  const newest = arrival?.newest ?? null;
  const { data: session } = useQuery(sessionQuery);
  const sees = session?.user != null && seesAll(session.user);
  if (error !== null && message === null) {
    return (
      <Notice tone="error" title={error.message}>
        It goes on to look for the message.
      </Notice>
    );
  }
  return (
    <div className={classes.arrival} data-arrived={message !== null} role="status">
      {message === null ? (
        <>
          <div className={classes.waiting}>
            <span className="pulse" aria-hidden />
            <strong>Waiting for the message</strong>
          </div>
          {newest === null ? (
            <p className="dimmed">
              {arrival === undefined ? 'The server is being asked.' : `${nothingText(sees)} yet.`}{' '}
              This page notices it by itself.
            </p>
          ) : (
            <>
              <p className="dimmed">Other messages come in already. The newest:</p>
              <MessageLine message={newest} />
            </>
          )}
        </>
      ) : (
        <>
          <div className={classes.waiting}>
            <IconCircleCheckFilled size={20} className="rigid good" aria-hidden />
            <strong>It is here{arrival !== undefined && tookText(arrival)}</strong>
          </div>
          <MessageLine message={message} />
        </>
      )}
      <div>
        {(message !== null || newest !== null) && (
          <Button
            size="sm"
            variant={message === null ? 'default' : 'filled'}
            data-autofocus
            onClick={onNext}
          >
            Continue
          </Button>
        )}
      </div>
    </div>
  );
}

/** A user who sees only a part of the store knows nothing about the rest. */
function nothingText(sees: boolean): string {
  return sees ? 'Nothing has come in' : 'Nothing that you may see has come in';
}

function MessageLine({ message }: { message: Message }) {
  const [zone] = useZone();
  return (
    <div className="breakAnywhere mono">
      <time className="dimmed">{momentText(message.time, zone)}</time> {message.host}{' '}
      {message.program} {message.message.slice(0, MESSAGE_CHARS_MAX)}
    </div>
  );
}

const MESSAGE_CHARS_MAX = 400;

/** `, searchable 0.3 s after it was sent` */
function tookText(arrival: Arrival): string {
  const waited = waitedMs(arrival);
  return waited === null ? '' : `, searchable ${(waited / 1000).toFixed(1)} s after it was sent`;
}
