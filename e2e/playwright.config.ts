import { defineConfig } from '@playwright/test';
import { existsSync } from 'node:fs';

/** Chromium without a window: opening one for each test took two fifths of the time. */
const shell = '/usr/bin/chromium-headless-shell';

/** Every test has a server, a data directory and ports of its own, so tests run side by side and in any order. */
export default defineConfig({
  testDir: '.',
  fullyParallel: true,
  workers: 3, // on two cores: some wait for a server or a clock
  retries: 1, // what passes only then is told as flaky
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    // A step that waits for ever says which it is, long before its test's time is up.
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    // To record each step takes an eighth of all the time, so only what is tried again is recorded.
    trace: { mode: 'on-first-retry', screenshots: false },
    screenshot: 'only-on-failure',
    viewport: { width: 1280, height: 800 },
    // Animations took an eighth of the time. Tests of whole tasks and of an operator's day keep them.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? (existsSync(shell) ? shell : '/usr/bin/chromium'),
      args: [
        '--no-sandbox', // tests run as root in containers
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
