import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { expect, test } from 'vitest';
import description from '../../openapi.json?raw';
import types from './types.ts?raw';

test('the types are those of the description of the API; `npm run api -w web` generates them', async () => {
  const generated = astToString(await openapiTS(description, { defaultNonNullable: false }));
  expect(types === `${COMMENT_HEADER}${generated}`).toBe(true);
});
