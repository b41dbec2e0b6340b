import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the types are those of the description of the API; `npm run api -w web` generates them', () => {
  const check = () =>
    execFileSync(process.execPath, [join(import.meta.dirname, '../../api.mjs'), '--check']);
  expect(check).not.toThrow();
});
