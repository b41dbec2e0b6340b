import { expect, test } from 'vitest';
import text from '../../../docs/agents.md?raw';
import { type SendTarget, fill, listenersOf, needsOf, wantsToken } from './fill';
import { readGuide } from './guide';
import type { RouterStatus } from '../api/model';

const { agents } = readGuide(text);
const blocks = agents.flatMap(({ name, blocks }) => blocks.map((block) => ({ name, ...block })));

const place: SendTarget = {
  host: 'logs.corp',
  token: 'lst_secret',
  word: 'test-1a2b3c',
  web: { protocol: 'https:', port: '8443', base: '' },
  listeners: [
    { kind: 'syslog', scheme: 'tcp', port: '601', isLocal: false },
    { kind: 'syslog', scheme: 'udp', port: '514', isLocal: false },
    { kind: 'relp', scheme: 'relp', port: '602', isLocal: false },
    { kind: 'gelf', scheme: 'tcp', port: '603', isLocal: false },
    { kind: 'gelf', scheme: 'udp', port: '604', isLocal: false },
    { kind: 'otlp', scheme: 'grpc', port: '605', isLocal: false },
  ],
};

test.each(blocks)('$name has no placeholder left', ({ text }) => {
  const filled = fill(text, place);
  expect(filled).not.toMatch(/logs\.example|\bTOKEN\b|\b(5514|2514|8080|12201|4317|4318)\b/);
  expect(filled).not.toMatch(/http:\/\/[^/\s]*logs\.corp/);
});

test('every configuration says where to send', () => {
  for (const { name, kind, text } of blocks) {
    if (kind !== 'code' || text === 'systemctl enable --now systemd-journal-upload') continue;
    expect(fill(text, place), name).toContain('logs.corp');
  }
});

test('the host, the token and the ports go where they belong', () => {
  const check = (text: string, filled: string, part: Partial<SendTarget> = {}) =>
    expect(fill(text, { ...place, ...part })).toBe(filled);
  const v6 = { host: '[::1]', web: { protocol: 'http:', port: '', base: '' } };
  check('"logs.example", 5514', '"logs.corp", 601');
  check('("logs.example", 5514), SOCK_DGRAM', '("logs.corp", 514), SOCK_DGRAM');
  check('udp://logs.example:12201', 'udp://logs.corp:604');
  check('http://a:TOKEN@logs.example:8080', 'https://a:lst_secret@logs.corp:8443');
  check('http://logs.example:8080/v1', 'http://[::1]:80/v1', v6);
  check('target="logs.example"', 'target="::1"', v6);
  check('endpoint: logs.example:4317', 'endpoint: [::1]:605', v6);
  check('Port 8080', 'Port 443', { web: { protocol: 'https:', port: '', base: '' } });
  check('Bearer TOKEN $&', 'Bearer $& $&', { token: '$&' });
});

test('below a path of a proxy, every address is below it', () => {
  const below = { ...place, web: { protocol: 'https:', port: '', base: '/logs-8080' } };
  const check = (from: string, filled: string) => expect(fill(from, below)).toBe(filled);
  check('http://logs.example:8080/v1/logs', 'https://logs.corp:443/logs-8080/v1/logs');
  check('http://a:TOKEN@logs.example:8080', 'https://a:lst_secret@logs.corp:443/logs-8080');
  check('    URI    /api/v1/ingest', '    URI    /logs-8080/api/v1/ingest');
  check('tcp://logs.example:5514', 'tcp://logs.corp:601');
  const toWeb = blocks.map(({ text }) => text).filter((text) => text.includes('8080'));
  const docker = toWeb.filter((text) => text.startsWith('docker run'));
  for (const text of toWeb.filter((text) => !docker.includes(text)))
    expect(fill(text, below)).toMatch(/:443\/logs-8080|URI\s+\/logs-8080|uri\s+\/logs-8080/);
  expect(toWeb.length).toBeGreaterThan(12);
  expect(docker.map((text) => fill(text, below).split('\n')[0])).toEqual([
    expect.stringContaining('takes no path'),
  ]);
});

test('what is not known is not shown as if it were', () => {
  const unknown: SendTarget = { ...place, token: '', listeners: null };
  expect(fill('TOKEN at logs.example, 5514', unknown)).toBe('TOKEN at logs.corp, PORT');
  expect(fill('udp://logs.example:12201', unknown)).toBe('udp://logs.corp:PORT');
  expect(fill('port="2514"', { ...place, listeners: [] })).toBe('port="2514"');
});

test('a sample message is the test message', () => {
  const curl = blocks.filter(({ name }) => name === 'curl').map(({ text }) => fill(text, place));
  expect(curl.join()).toContain('"message":"slow test-1a2b3c"');
});

test('a configuration tells what it needs', () => {
  expect(needsOf('tcp://logs.example:5514')).toEqual([
    { kind: 'syslog', scheme: 'tcp', port: '5514' },
  ]);
  expect(needsOf('gelf-address=udp://logs.example:12201')).toEqual([
    { kind: 'gelf', scheme: 'udp', port: '12201' },
  ]);
  expect(needsOf('http://logs.example:8080')).toEqual([]);
  expect(wantsToken('Bearer TOKEN')).toBe(true);
  expect(wantsToken('TOKENS')).toBe(false);
});

test('only listeners that are up count', () => {
  const listener = (url: string, state: string) => ({ url, state });
  const status = {
    sources: [
      {
        kind: 'syslog',
        listeners: [
          listener('tcp://127.0.0.1:1514', 'listening'),
          listener('udp://[::]:1515', 'failed'),
        ],
      },
    ],
  } as unknown as RouterStatus;
  expect(listenersOf(status)).toEqual([
    { kind: 'syslog', scheme: 'tcp', port: '1514', isLocal: true },
  ]);
});
