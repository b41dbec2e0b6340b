import react from '@vitejs/plugin-react';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The server that `npm run dev` talks to. */
const server = process.env['LOGSTEAD_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  // Files ask for each other beside themselves, as the console may lie below a path. The page, which may have any
  // address, asks from the root; the server puts the path before that.
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
    // What a page needs to start is one file: cut into forty, of which pages share this and that, it is compressed
    // 17 KB worse and takes forty requests.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
    },
  },
  test: {
    css: false,
    // Formatting is checked in a zone with summer time, whatever the machine's own is.
    env: { TZ: 'Europe/Vienna' },
    // Against tests that hang, not slow ones: a machine may have other work.
    testTimeout: 30_000,
    // A browser's environment takes a second for each file: only tests that render something pay for it.
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

/** The texts of the licences of everything inside, which some of them ask to be shipped: `/licences.txt`. */
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

/** Puts a brotli copy beside each text of the build; the server hands it to browsers that take it. */
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
