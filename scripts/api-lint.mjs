// Checks that web/openapi.json is a valid description that generators of clients understand: its structure, and that
// every example fits its schema.
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core';
import { join } from 'node:path';
import { root } from './run.mjs';

const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
    'no-invalid-schema-examples': 'error',
    'no-unused-components': 'error',
    'operation-operationId': 'error',
    'tag-description': 'error',
    // Probes of the process, which answer everyone, are never refused.
    'operation-4xx-response': 'off',
  },
});
const ref = process.argv[2] ?? join(root, 'web/openapi.json');
const problems = await lint({ ref, config });
const totals = getTotals(problems);
if (problems.length > 0) {
  formatProblems(problems, { format: 'stylish', totals, version: '' });
  process.exit(1);
}
