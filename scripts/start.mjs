// From a fresh checkout to a running Logstead, with its data in ./data as configured by default. Arguments are passed
// to `logstead serve`.
import { build } from './build.mjs';
import { run } from './run.mjs';
import { requireTools } from './tools.mjs';

requireTools();
const binary = await build('quick');

let consoleUrl;
let syslogPort;
let greeted = false;

process.exitCode = await run(binary, ['serve', ...process.argv.slice(2)], {
  onLine: (line) => {
    consoleUrl ??= /^ready: console (\S+)/.exec(line)?.[1];
    syslogPort ??= /^listening: \S+ tcp:\/\/\S+:(\d+)/.exec(line)?.[1];
    if (!greeted && consoleUrl && syslogPort) greet();
  },
});

function greet() {
  greeted = true;
  console.log(`
  Logstead is running.

    Console          ${consoleUrl}
    Send a message   logger -n 127.0.0.1 -P ${syslogPort} -T 'hello logstead'
    Stop             Ctrl-C
`);
}
