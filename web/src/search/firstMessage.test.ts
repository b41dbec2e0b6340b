import { expect, test } from 'vitest';
import { loggerCommand } from './firstMessage';

test('the command fits the listeners that are up', () => {
  const check = (listeners: string[], command: string) =>
    expect(loggerCommand(listeners, 'logs')).toBe(command);
  check([], "logger -n logs -P 5514 -T 'hello logstead'");
  check(['udp://0.0.0.0:514', 'tcp://[::]:1514'], "logger -n logs -P 1514 -T 'hello logstead'");
  check(['udp://0.0.0.0:514'], "logger -n logs -P 514 -d 'hello logstead'");
  check(['unix-dgram:/run/log.sock'], "logger -n logs -P 5514 -T 'hello logstead'");
});
