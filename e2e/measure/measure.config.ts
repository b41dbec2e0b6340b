import { defineConfig } from '@playwright/test';
import config from '../playwright.config';

/** Figures, not tests: one after the other, on a machine that does nothing else. See bench/README.md. */
export default defineConfig({
  ...config,
  testDir: '.',
  testMatch: '*.measure.ts',
  workers: 1,
  timeout: 20 * 60_000,
  use: { ...config.use, trace: 'off', viewport: { width: 1440, height: 900 } },
});
