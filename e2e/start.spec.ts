// Keywords: npm start, first run.
import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { LoginPage } from './pages/login';
import { SearchPage } from './pages/search';
import { WelcomePage } from './pages/welcome';
import { admin, defaultRouter, root } from './server';

const run = promisify(execFile);

test('npm start, the command that it prints, and the message in the console', async ({ page }) => {
  const directory = await mkdtemp(join(tmpdir(), 'logstead-start-'));
  await writeFile(join(directory, 'router.toml'), defaultRouter);
  const started = start(directory);
  try {
    await expect.poll(() => started.output(), { timeout: 60_000 }).toContain('Stop');
    const url = printed(started.output(), /Console +(\S+)/);
    const logstead = { url: (path: string) => new URL(path, url).href };
    const loginPage = new LoginPage(page, logstead);
    await page.goto(url);
    const code = printed(started.output(), /one-time code (\S+)/);
    await loginPage.createAdministrator(code, 'ana', admin.password);
    await expect(new WelcomePage(page, logstead).waiting).toBeVisible();

    await run('sh', ['-c', printed(started.output(), /Send a message +(.+)/)]);
    const searchPage = new SearchPage(page, logstead);
    await searchPage.open({ q: '"hello logstead"' });
    await expect(searchPage.message('hello logstead')).toBeVisible();
  } finally {
    expect(await stop(started.child), started.output()).toBe(0);
    await rm(directory, { recursive: true, force: true });
  }
});

/** Starts Logstead like a user would, but with separate data and ports. */
function start(directory: string): { child: ChildProcess; output: () => string } {
  const router = join(directory, 'router.toml');
  const places = [
    '--data',
    join(directory, 'data'),
    '--router',
    router,
    '--set',
    'web.listen=127.0.0.1:0',
  ];
  const child = spawn('npm', ['start', '--', ...places], { cwd: root, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, output: () => output };
}

function printed(output: string, pattern: RegExp): string {
  const found = pattern.exec(output)?.[1];
  if (found === undefined) throw new Error(`${pattern} was not printed:\n${output}`);
  return found;
}

/** Stops it like Ctrl-C does: a terminal interrupts the whole process group. */
async function stop(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.pid === undefined) return child.exitCode;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGINT');
  return (await ended)[0];
}
