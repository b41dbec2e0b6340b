/** Shown while nothing but Logstead's own log has been received: how to send a first message. */
import { useQuery } from '@tanstack/react-query';
import { Command } from '../../ui/Copy';
import { curlCommand, loggerCommand } from '../../ui/firstMessage';
import { listenersQuery } from '../queries';
import classes from './FirstRun.module.css';
import { serverUrl } from '../../base';

export function FirstRun() {
  const { data: listeners } = useQuery(listenersQuery);
  return (
    <section className={classes.panel} aria-label="First message">
      <h2>Send a first message</h2>
      <p>Logstead listens, and has nothing but its own log so far. In a terminal:</p>
      <Command label="logger command" text={loggerCommand(listeners ?? null, location.hostname)} />
      <p>or over HTTP, with an API token:</p>
      <Command label="curl command" text={curlCommand(serverUrl())} />
    </section>
  );
}
