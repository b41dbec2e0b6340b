// The programs of other projects that the end-to-end tests use: a browser, and syslog-ng's load generator.
import { existsSync } from 'node:fs';
import { run } from './run.mjs';
import { answers } from './tools.mjs';

export const browser = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Installs what is missing where that is ours to do; otherwise says what to install. False when no test can run. */
export async function preparePackages() {
  const missing = [];
  if (!existsSync(browser)) missing.push('chromium');
  if (!answers('loggen')) missing.push('syslog-ng-core');
  if (missing.length === 0) return true;

  if (process.getuid?.() === 0 && answers('apt-get')) {
    await run('apt-get', ['update', '-qq']);
    // One by one and without removals: syslog-ng takes the place of another syslog daemon, and a test may not do that.
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
  } else {
    console.error(
      `The end-to-end tests use programs that are not here. Install: ${missing.join(' ')}`,
    );
    console.error('(a browser elsewhere: CHROMIUM=/path/to/chromium npm test)');
  }
  if (!answers('loggen')) console.error('Without loggen (syslog-ng-core) its test is skipped.');
  return existsSync(browser);
}
