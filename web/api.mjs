// Writes src/api/types.ts, or the file that is named: the types in openapi.json, and the request and response types of
// each operation. It runs before anything that compiles the console or the client in ../clients/typescript, and leaves
// the file alone if it is up to date.
import process from 'node:process';
import { createClient } from '@hey-api/openapi-ts';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const from = join(import.meta.dirname, 'openapi.json');
const to = process.argv[2] ?? join(import.meta.dirname, 'src/api/types.ts');

/** The name of an operation in type names: `get_account` becomes `GetAccount`. */
function pascal(id) {
  return id
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** All operations, as `{ name, method, path, operation }`. */
function operations({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: pascal(operation.operationId),
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

async function generate(description) {
  for (const { operation } of operations(description)) {
    // Every refusal is a `Problem`: separate types for them would be a third of the file.
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).filter(([status]) => status.startsWith('2')),
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'logstead-types-'));
  try {
    await createClient({
      input: description,
      output: folder,
      logs: { level: 'silent', file: false },
      plugins: [
        {
          name: '@hey-api/typescript',
          requests: '{{name}}Asked',
          responses: { name: '{{name}}Answers', response: '{{name}}Answered' },
        },
      ],
    });
    return readFileSync(join(folder, 'types.gen.ts'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const description = JSON.parse(readFileSync(from, 'utf8'));
const types = await generate(description);
const rows = operations(description).map(({ name, method, path, operation }) => {
  const hasAnswers = Object.keys(operation.responses).length > 0; // else it only redirects
  const answers = hasAnswers ? `${name}Answers` : 'Record<number, never>';
  return `    '${method} ${path}': { asked: ${name}Asked; answers: ${answers} };`;
});
const text = `${types}
/**
 * Each operation: how it is asked, and its answers by status.
 */
export type Operations = {
${rows.join('\n')}
};
`;
if (!existsSync(to) || readFileSync(to, 'utf8') !== text) writeFileSync(to, text);
