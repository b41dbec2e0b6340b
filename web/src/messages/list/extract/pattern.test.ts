import { expect, test } from 'vitest';
import { foundIn, matchesIn } from './pattern';

test('fields are found as the server finds them', () => {
  const check = (pattern: string, text: string, found: Record<string, string> | null) =>
    expect(foundIn(pattern, text)).toEqual(found);
  check('for <user> from <ip>', 'password for root from 10.0.0.1 port 22', {
    user: 'root',
    ip: '10.0.0.1',
  });
  check('<a>=1', 'x y=1', { a: 'y' });
  check('(<a>)', 'f(x y) and more', { a: 'x y' });
  check('a.b <_> <c>', 'a.b 12 d e', { c: 'd' });
  check('a.b <c>', 'aXb d', null);
  check('From <c>', 'from d', null);
  check('size <1> <a>', 'size <1> 4', { a: '4' });
  check(String.raw`C:\<a>\ `, String.raw`in C:\temp\ x`, { a: 'temp' });
});

test('an invalid pattern finds nothing', () => {
  for (const pattern of ['', 'text alone', '<a>', '<_>', 'x <_>'])
    expect(foundIn(pattern, 'x y')).toBeNull();
});

test('matches are counted, and different values listed', () => {
  const texts = ['user a', 'user b', 'user a', 'nobody'];
  expect(matchesIn('user <u>', 'u', texts, 5)).toEqual({ count: 3, examples: ['a', 'b'] });
  expect(matchesIn('user <u>', 'u', texts, 1)).toEqual({ count: 3, examples: ['a'] });
});
