/** The ways to send a message, ready to be copied. */
import { Button, Tabs } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '../api/session';
import { listeningUrls, statusQuery } from '../api/status';
import { makeIngestToken } from '../api/tokens';
import { Command } from '../ui/Command';
import { Notice } from '../ui/Notice';
import {
  curlCommand,
  loggerCommand,
  netcatCommand,
  receiverOf,
  rsyslogConfig,
  syslogNgConfig,
} from '../ui/firstMessage';
import classes from './WelcomePage.module.css';
import { serverUrl } from '../base';

const ways = ['logger', 'nc', 'curl', 'rsyslog', 'syslog-ng'] as const;
type Way = (typeof ways)[number];

export function SendCommands({ word }: { word: string }) {
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

/** Posting needs a token, which an administrator can make here. It is shown once and kept nowhere. */
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
          <Button variant="default" loading={make.isPending} onClick={() => make.mutate()}>
            Make a token
          </Button>
        </div>
      )}
      <p className="dimmed">
        {make.data === undefined
          ? 'TOKEN stands for an API token. An administrator can make one.'
          : `The token "${make.data.name}" is shown this once: keep it, or remove it after the test.`}
      </p>
      {make.error !== null && <Notice tone="error" title={make.error.message} />}
    </>
  );
}
