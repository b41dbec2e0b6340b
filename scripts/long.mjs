// Proofs that take more than a minute, and therefore only run on request: all of them, or those named.
//   node scripts/long.mjs [NAME…]
import { runOrExit } from './run.mjs';

/** The proofs by name: what each proves, and how. */
const proofs = {
  framing: {
    proves: 'every byte of 100 000 damaged streams is accounted for, and frames are found again',
    command: ['cargo', ['test', '-p', 'logstead-syslog', '--lib', 'framing::tests::damage']],
    env: { LOGSTEAD_STREAMS: '100000' },
  },
  queues: {
    proves:
      'four troubles of a queue, three kinds of senders, and kills: each message is once in the store, and arrives',
    command: [
      'cargo',
      ['test', '-p', 'logstead', '--test', 'failures', 'every_trouble', '--', '--ignored'],
    ],
    env: {},
  },
  queries: {
    proves:
      'none of 2 000 hostile queries takes half a second longer than a search may, and who hangs up frees a place at once',
    command: ['cargo', ['test', '-p', 'logstead', '--test', 'api', 'answers', '--', '--ignored']],
    env: {},
  },
  memory: {
    proves:
      'in memory groups of 128, 256 and 512 MiB everything is stored and answered, and nothing is killed (as root)',
    command: [
      'cargo',
      [
        'test',
        '-p',
        'logstead',
        '--test',
        'failures',
        'never_killed',
        '--',
        '--ignored',
        '--nocapture',
      ],
    ],
    env: {},
  },
  generators: {
    proves:
      'eight generators make clients of the API that compile, and four of those make every call (needs Go, Maven and the network)',
    command: ['node', ['scripts/generators.mjs']],
    env: {},
  },
  schemathesis: {
    proves:
      'thousands of requests made from the description get no 5xx and no answer that it does not allow, and what is refused or taken against it is explained',
    command: ['node', ['scripts/schemathesis.mjs']],
    env: {},
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in proofs));
if (unknown.length > 0) {
  console.error(
    `no such proof: ${unknown.join(', ')}. There are: ${Object.keys(proofs).join(', ')}`,
  );
  process.exit(1);
}
for (const name of asked.length > 0 ? asked : Object.keys(proofs)) {
  const { proves, command, env } = proofs[name];
  console.log(`${name}: ${proves}`);
  await runOrExit(...command, { env });
}
