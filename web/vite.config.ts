import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** The server that `npm run dev` talks to. */
const server = process.env['LOGSTEAD_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  server: {
    proxy: { '/api': server, '/healthz': server, '/readyz': server, '/metrics': server },
  },
  build: {
    // The server's content security policy allows no data: URLs.
    assetsInlineLimit: 0,
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/test-setup.ts'],
    css: false,
    // Formatting is checked in a zone with summer time, whatever the machine's own is.
    env: { TZ: 'Europe/Vienna' },
  },
});
