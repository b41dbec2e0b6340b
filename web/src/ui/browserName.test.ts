import { expect, test } from 'vitest';
import { browserName } from './browserName';

test('a browser is named as people name it', () => {
  const check = (agent: string | null, name: string) => expect(browserName(agent)).toBe(name);
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  check(
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Firefox on Linux',
  );
  check(
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/143.0.0.0 Safari/537.36`,
    'Chrome on Windows',
  );
  check(
    `Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/143.0.0.0 Safari/537.36 Edg/143.0`,
    'Edge on Windows',
  );
  check(
    `Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) ${webkit} Version/19.1 Safari/604.1`,
    'Safari on iOS',
  );
  check('curl/8.14.1', 'curl');
  check('python-requests/2.32', 'python-requests/2.32');
  check('x'.repeat(300), 'x'.repeat(60));
  check(null, 'Unknown program');
  check(' ', 'Unknown program');
});
