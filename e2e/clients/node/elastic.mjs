// Elasticsearch's client for Node, with its helper for bulk requests: elastic.mjs VERSION HOST TOKEN.
import { setTimeout } from 'node:timers/promises';
import { lines } from './lines.mjs';

const [version, host, token] = process.argv.slice(2);
const { Client, errors } = await import(`@elastic/elasticsearch${version}`);
const client = new Client({ node: `http://${host}`, auth: { apiKey: token } });
const { number } = (await client.info()).version;
if (!number.startsWith(`${version}.`)) throw new Error(`the server says that it is ${number}`);

async function send(datasource) {
  // The client retries at once and gives up after three attempts, so waiting is up to the application.
  for (let tries = 0; tries < 600; tries += 1) {
    try {
      const { failed } = await client.helpers.bulk({
        datasource,
        onDocument: () => ({ create: { _index: 'logs' } }),
      });
      if (failed > 0) throw new Error(`${failed} of ${datasource.length} were refused`);
      return;
    } catch (error) {
      if (!(error instanceof errors.ConnectionError)) throw error;
      await setTimeout(100);
    }
  }
  throw new Error('there was no connection for a minute');
}

let waiting = [];
for await (const message of lines()) {
  waiting.push({ message });
  if (waiting.length === 500) await send(waiting.splice(0));
}
await send(waiting);
