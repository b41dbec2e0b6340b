import { expect, test } from 'vitest';
import { listenText } from './itemText';

test('where a source listens, in short', () => {
  expect(listenText(['udp://0.0.0.0:5514', 'tcp://0.0.0.0:5514'])).toBe('udp · tcp 5514');
  expect(listenText(['tls://[::]:6514', 'tcp://[::]:5514'])).toBe('tls 6514, tcp 5514');
  expect(listenText(['unix-dgram:run/log.sock', 'relp+tls://127.0.0.1:2514'])).toBe(
    'unix run/log.sock, relp+tls 2514',
  );
  expect(listenText(['nonsense'])).toBe('nonsense');
});
