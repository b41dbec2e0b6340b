import react from '@vitejs/plugin-react';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The server that `npm run dev` talks to. */
const server = process.env['LOGSTEAD_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  // Files refer to each other by relative paths, as the console may be served below a path. The page, which may have
  // any address, refers to them from the root, and the server inserts the path.
  experimental: {
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `/${name}` : { relative: true }),
  },
  plugins: [react(), licenceTexts(), pack()],
  server: {
    proxy: { '/api': server, '/healthz': server, '/readyz': server, '/metrics': server },
  },
  build: {
    // The server's content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    // The code that every page needs to start is in one file: split into forty that pages share in part, it would
    // compress 17 KB worse and take forty requests.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
    },
  },
  test: {
    css: false,
    // Formatting is tested in a zone with summer time, whatever the machine's own zone is.
    env: { TZ: 'Europe/Vienna' },
    // The limit is meant for tests that hang, not for slow ones: the machine may have other work.
    testTimeout: 30_000,
    // A browser environment takes a second for each file, so only tests that render something use one.
    projects: [
      {
        extends: true,
        test: {
          name: 'logic',
          include: ['src/**/*.test.ts'],
          setupFiles: ['src/test-setup-logic.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'screens',
          include: ['src/**/*.test.tsx'],
          environment: 'jsdom',
          setupFiles: ['src/test-setup.ts'],
        },
      },
    ],
  },
});

/**
 * The texts of the licences of everything included, which some of them require to be shipped:
 * `/licences.txt`.
 */
function licenceTexts(): Plugin {
  return {
    name: 'licence-texts',
    apply: 'build',
    generateBundle() {
      const source = readFileSync(join(import.meta.dirname, '../docs/licence-texts.txt'));
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source });
    },
  };
}

/**
 * Adds a brotli copy of each text file in the build, which the server sends to browsers that accept
 * it.
 */
function pack(): Plugin {
  return {
    name: 'pack',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) =>
        /\.(js|css|svg|html|txt)$/.test(file),
      )) {
        const path = join(dir, name);
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
      }
    },
  };
}
