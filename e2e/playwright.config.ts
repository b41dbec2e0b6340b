import { defineConfig } from '@playwright/test';
import { existsSync } from 'node:fs';

/** Chromium without a window: opening a window for each test took two fifths of the time. */
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
    // A step that would wait for ever fails, and names itself, long before its test's time is up.
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    // Recording each step takes an eighth of the time, so only retries are recorded.
    trace: { mode: 'on-first-retry', screenshots: false },
    screenshot: 'only-on-failure',
    viewport: { width: 1280, height: 800 },
    // Animations took an eighth of the time. They are kept in tests of whole tasks and of an operator's day.
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
