import { expect, test } from 'vitest';
import openapi from '../../openapi.json';
import { tokenName } from './users';

test('a token is called as the server allows', () => {
  const name = tokenName('set-up', new Date('2026-11-22T06:13:05.123Z'));
  expect(name).toBe('set-up-2026-11-22t06.13.05');
  const { pattern, maxLength } = openapi.components.schemas.TokenRequest.properties.name;
  expect(name).toMatch(new RegExp(pattern));
  expect(name.length).toBeLessThanOrEqual(maxLength);
});
