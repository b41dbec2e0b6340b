import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Also for ../scripts: `npm run lint:scripts` in the root. */
export default defineConfig(
  globalIgnores(['**/test-results', '**/playwright-report']),
  js.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Playwright fixtures declare "needs nothing" as an empty pattern.
      'no-empty-pattern': 'off',
      'no-restricted-properties': [
        'error',
        {
          property: 'waitForTimeout',
          message: 'Wait for what is to happen: expect(…).toBe…, expect.poll.',
        },
        { property: 'only', object: 'test', message: 'Runs one test and forgets the others.' },
      ],
    },
  },
);
