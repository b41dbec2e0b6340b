import { defineConfig } from '@playwright/test';
import config from '../playwright.config';

/** All clients, including those that take long to fetch: `npm run clients`. */
export default defineConfig({
  ...config,
  testDir: '.',
  retries: 0,
  use: {},
});
