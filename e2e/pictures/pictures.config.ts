import { defineConfig } from '@playwright/test';
import config from '../playwright.config';

/** Pictures for the docs, not tests: `npm run pictures -w e2e`. */
export default defineConfig({
  ...config,
  testDir: '.',
  testMatch: '*.pictures.ts',
  workers: 1,
  retries: 0,
  timeout: 5 * 60_000,
  use: {
    ...config.use,
    trace: 'off',
    viewport: { width: 1440, height: 900 },
  },
});
