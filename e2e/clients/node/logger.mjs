// Log transports of other projects for Node: logger.mjs NAME HOST TOKEN.
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { lines } from './lines.mjs';

const [name, host, token] = process.argv.slice(2);
const [address, port] = host.split(':');

/**
 * For each library, a function that sends a message, and one that resolves when all messages are
 * sent.
 */
const libraries = {
  'winston-loki': async () => {
    const { default: winston } = await import('winston');
    const { default: LokiTransport } = await import('winston-loki');
    const transport = new LokiTransport({
      host: `http://${host}`,
      labels: { service: 'clients' },
      headers: { Authorization: `Bearer ${token}` },
      format: winston.format.printf(({ message }) => message),
      interval: 1,
      onConnectionError: (error) => console.error(error),
    });
    const logger = winston.createLogger({ transports: [transport] });
    // A flush also resolves after a failed attempt; the messages are kept for the next one.
    const flush = async () => {
      await setTimeout(0);
      do await transport.flush();
      while (transport.batcher.batch.streams.length > 0);
    };
    return [(message) => logger.info(message), flush];
  },
  'pino-loki': async () => {
    const { default: pino } = await import('pino');
    const transport = pino.transport({
      target: 'pino-loki',
      options: {
        host: `http://${host}`,
        labels: { service: 'clients' },
        headers: { Authorization: `Bearer ${token}` },
        logFormat: '{msg}',
        batching: { interval: 1, maxBufferSize: 0 },
      },
    });
    const logger = pino({}, transport);
    const closed = new Promise((resolve) => {
      // The sending thread does not keep the process alive.
      const alive = setInterval(() => undefined, 1000);
      transport.on('close', () => resolve(clearInterval(alive)));
    });
    return [
      (message) => logger.info(message),
      () => {
        transport.end();
        return closed;
      },
    ];
  },
  'splunk-logging': async () => {
    const { default: splunk } = await import('splunk-logging');
    const logger = new splunk.Logger({
      url: `http://${host}`,
      token,
      maxBatchCount: 500,
      maxRetries: 20,
    });
    let failed;
    logger.error = (error) => (failed = error);
    // The library does not queue requests, so this waits for each one.
    const posted = (call) =>
      new Promise((resolve) => call((error, response, body) => resolve(body)));
    return [
      async (message) => {
        logger.serializedContextQueue.length + 1 < 500
          ? logger.send({ message })
          : await posted((done) => logger.send({ message }, done));
        if (failed) throw failed;
      },
      async () => {
        if (logger.serializedContextQueue.length > 0) await posted((done) => logger.flush(done));
        if (failed) throw failed;
      },
    ];
  },
  'gelf-pro': async () => {
    const { default: gelf } = await import('gelf-pro');
    gelf.setConfig({ adapterName: 'tcp', adapterOptions: { host: address, port: Number(port) } });
    // Each message takes a connection, so only a few are sent at a time.
    const send = (message) =>
      new Promise((resolve, reject) =>
        gelf.info(message, (error) => (error ? reject(error) : resolve())),
      );
    return [send, () => setTimeout(0)];
  },
};

const [send, flush] = await libraries[name]();
for await (const message of lines()) await send(message);
await flush();
process.exit(0); // some libraries would go on waiting for messages
