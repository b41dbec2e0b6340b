import { defineConfig } from '@playwright/test';
import config from '../playwright.config';

/** The browser that people use, with a window: drawing is part of the measurements. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/**
 * Measurements, not tests: they run one after the other, on a machine that does nothing else. See
 * bench/README.md.
 */
export default defineConfig({
  ...config,
  testDir: '.',
  testMatch: '*.measure.ts',
  workers: 1,
  timeout: 20 * 60_000,
  use: {
    ...config.use,
    trace: 'off',
    viewport: { width: 1440, height: 900 },
    launchOptions: { ...config.use?.launchOptions, executablePath },
  },
});
