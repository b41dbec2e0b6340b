import { expect, test } from 'vitest';
import {
  curlCommand,
  isLocalOnly,
  loggerCommand,
  netcatCommand,
  receiverOf,
  rsyslogConfig,
  syslogNgConfig,
} from './firstMessage';

test('the command fits the listeners that are up', () => {
  const check = (listeners: string[], command: string) =>
    expect(loggerCommand(listeners, 'logs')).toBe(command);
  check([], "logger -n logs -P 5514 -T 'hello logstead'");
  check(['udp://0.0.0.0:514', 'tcp://[::]:1514'], "logger -n logs -P 1514 -T 'hello logstead'");
  check(['udp://0.0.0.0:514'], "logger -n logs -P 514 -d 'hello logstead'");
  check(['unix-dgram:/run/log.sock'], "logger -n logs -P 5514 -T 'hello logstead'");
});

test('a port that is not known is not shown as if it were', () => {
  expect(loggerCommand(null, 'logs')).toBe("logger -n logs -P PORT -T 'hello logstead'");
  expect(rsyslogConfig(receiverOf(null, 'logs'))).toContain('port="PORT"');
});

test('a shell takes the text as it is, and programs an address without brackets', () => {
  expect(loggerCommand([], '[::1]', "it's")).toBe("logger -n ::1 -P 5514 -T 'it'\\''s'");
  const tcp = receiverOf(['tcp://[::]:1514'], '[::1]');
  expect(netcatCommand(tcp, 'a b')).toBe("printf '%s\\n' '<14>a b' | nc -w1 ::1 1514");
  expect(curlCommand('http://logs', 'lgs_1', 'hi')).toBe(
    "curl -H 'Authorization: Bearer lgs_1' -H 'Content-Type: text/plain' --data 'hi' http://logs/api/v1/ingest",
  );
});

test('rsyslog and syslog-ng are told host, port and transport', () => {
  const udp = receiverOf(['udp://0.0.0.0:514'], 'logs');
  expect(rsyslogConfig(udp)).toContain('target="logs" port="514" protocol="udp"');
  expect(rsyslogConfig(udp)).not.toContain('TCP_Framing');
  expect(rsyslogConfig(receiverOf([], 'logs'))).toContain('TCP_Framing="octet-counted"');
  expect(syslogNgConfig(udp)).toContain('syslog("logs" port(514) transport("udp"));');
});

test('listeners that only this computer can reach are known as such', () => {
  expect(isLocalOnly(['tcp://127.0.0.1:514', 'udp://[::1]:514', 'unix-dgram:/run/log'])).toBe(true);
  expect(isLocalOnly(['tcp://127.0.0.1:514', 'udp://0.0.0.0:514'])).toBe(false);
  expect(isLocalOnly(['unix-dgram:/run/log'])).toBe(false);
});
