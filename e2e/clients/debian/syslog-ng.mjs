// Runs syslog-ng, which reads the messages itself, until it is killed: syslog-ng.mjs elasticsearch|loki|http HOST
// TOKEN.
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [name, host, token] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'logstead-client-'));

const destinations = {
  // Like the definition of `elasticsearch-http()` in syslog-ng's configuration library.
  elasticsearch: `url("http://${host}/_bulk") user("any") password("${token}")
    headers("Content-Type: application/x-ndjson") body-suffix("\\n")
    body("$(format-json --scope none --omit-empty-values index._index='logs')\\n$(format-json message=\${.json.text})")`,
  // The driver loki() is newer than Debian's version, and uses gRPC. This sends Loki's JSON instead; each line is
  // already JSON.
  loki: `url("http://${host}/loki/api/v1/push") method("POST")
    headers("Authorization: Bearer ${token}", "Content-Type: application/json") delimiter(",")
    body-prefix("{\\"streams\\":[{\\"stream\\":{\\"service\\":\\"clients\\"},\\"values\\":[")
    body("[\\"\${R_UNIXTIME}000000000\\",\${MESSAGE}]") body-suffix("]}]}")`,
  http: `url("http://${host}/api/v1/ingest") method("POST")
    headers("Authorization: Bearer ${token}", "Content-Type: application/x-ndjson") delimiter("\\n")
    body("$(format-json message=\${.json.text})")`,
};

const configuration = `@version: 3.38
options { stats-freq(0); time-reopen(1); log-msg-size(4194304); };
# Without a window of this size there are a hundred messages under way, and as many in a batch.
source s { stdin(flags(no-parse) log-iw-size(10000) log-fetch-limit(1000)); };
parser json { json-parser(template('{"text":\${MESSAGE}}') prefix(".json.")); };
destination d { http(${destinations[name]}
  batch-lines(500) batch-timeout(200) timeout(60) time-reopen(1) retries(1000) log-fifo-size(20000)); };
log { source(s); parser(json); destination(d); flags(flow-control); };
`;
writeFileSync(join(folder, 'syslog-ng.conf'), configuration);
const files = ['cfgfile', 'persist-file', 'control', 'pidfile'].flatMap((option) => [
  `--${option}`,
  join(folder, option === 'cfgfile' ? 'syslog-ng.conf' : option),
]);
const args = ['--foreground', '--stderr', '--no-caps', ...files];
spawn('/usr/sbin/syslog-ng', args, { stdio: 'inherit', env: { ...process.env, TZ: 'UTC' } }).on(
  'exit',
  (code) => process.exit(code ?? 1),
);
