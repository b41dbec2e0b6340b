// Programs of other projects that tests use: a browser, and the senders that Logstead has to work with.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';
import { answers } from './tools.mjs';

/** Chromium's engine without windows. */
const shell = '/usr/bin/chromium-headless-shell';

/** Programs of Debian packages that can simply be installed. */
const senders = {
  'syslog-ng-core': () => answers('loggen') && existsSync('/usr/sbin/syslog-ng'),
  'syslog-ng-mod-http': () =>
    existsSync('/usr/lib/syslog-ng') &&
    readdirSync('/usr/lib/syslog-ng', { recursive: true }).some((file) =>
      file.endsWith('libhttp.so'),
    ),
  bsdutils: () => answers('logger'),
  curl: () => answers('curl'),
  openssl: () => answers('openssl'),
  slapd: () => existsSync('/usr/sbin/slapd'),
  'systemd-journal-remote': () => existsSync('/usr/lib/systemd/systemd-journal-upload'),
};

/** rsyslog cannot be installed beside syslog-ng, so its packages are only unpacked. */
const rsyslog = join(root, '.cache/rsyslog');
const rsyslogPackages = [
  'rsyslog',
  'rsyslog-relp',
  'rsyslog-gnutls',
  'librelp0',
  'libestr0',
  'libfastjson4',
  'liblognorm5',
  'rsyslog-elasticsearch',
];

/** Prepares the programs for the end-to-end tests; returns false if these cannot run. */
export async function preparePackages() {
  await install({
    'chromium-headless-shell': () => existsSync(process.env.CHROMIUM ?? shell),
    'syslog-ng-core': senders['syslog-ng-core'],
    slapd: senders.slapd,
  });
  // The same choice as in e2e/playwright.config.ts.
  const browser = process.env.CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium');
  const isThere = existsSync(browser);
  if (!isThere) console.error('(a browser elsewhere: CHROMIUM=/path/to/chromium npm test)');
  else if (browser === '/usr/bin/chromium')
    console.error('The tests run in chromium instead, which takes half as long again.');
  if (!answers('loggen')) console.error('Without loggen (syslog-ng-core) its test is skipped.');
  return isThere;
}

/**
 * Prepares the programs for `server/tests/peers`. A test whose program is still missing after this
 * fails and says so.
 */
export async function prepareSenders() {
  await install(senders);
  if (hasRsyslog() || process.env.LOGSTEAD_TEST_RSYSLOG) return;
  if (!answers('apt-get') || !(await unpackRsyslog())) {
    console.error(
      `The tests use rsyslog. Unpack these Debian packages with dpkg -x into one folder, and name it in ` +
        `LOGSTEAD_TEST_RSYSLOG: ${rsyslogPackages.join(' ')}`,
    );
  }
}

/** Whether all of it was unpacked, including the newest of the packages. */
const hasRsyslog = () =>
  existsSync(rsyslog) &&
  readdirSync(rsyslog, { recursive: true }).some((file) => file.endsWith('omelasticsearch.so'));

/** Installs missing packages if we have the rights to do so; otherwise says which to install. */
async function install(packages) {
  const absent = () => Object.keys(packages).filter((name) => !packages[name]());
  const missing = absent();
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && answers('apt-get')) {
    await run('apt-get', ['update', '-qq']);
    // Installs them one by one and without removing others: syslog-ng would replace another syslog daemon, which a
    // test must not do.
    for (const name of missing) {
      await run('apt-get', [
        'install',
        '-y',
        '-qq',
        '--no-install-recommends',
        '--no-remove',
        name,
      ]);
    }
  }
  const left = absent();
  if (left.length > 0)
    console.error(`The tests need programs that are missing. Install: ${left.join(' ')}`);
}

/** Unpacks either the whole folder or nothing. */
async function unpackRsyslog() {
  const folder = `${rsyslog}.part`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const download = () =>
    run('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', ...rsyslogPackages], {
      cwd: folder,
    });
  let code = await download();
  if (code !== 0 && process.getuid?.() === 0) {
    // The package lists may be missing or outdated.
    await run('apt-get', ['update', '-qq']);
    code = await download();
  }
  for (const file of readdirSync(folder)) {
    if (code === 0) code = await run('dpkg', ['-x', join(folder, file), folder]);
    rmSync(join(folder, file), { force: true });
  }
  if (code !== 0) return false;
  rmSync(rsyslog, { recursive: true, force: true });
  renameSync(folder, rsyslog);
  return code === 0;
}
