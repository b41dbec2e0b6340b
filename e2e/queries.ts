/**
 * Questions of every kind, each with its meaning expressed a second time, as a simple test of one
 * line.
 */

/** A line of syslog (RFC 5424), parsed in the simplest way. */
export interface Line {
  severity: number;
  facility: number;
  host: string;
  program: string;
  pid: number;
  message: string;
}

export interface Question {
  query: string;
  matches: (line: Line) => boolean;
}

const HEAD = /^<(\d+)>1 \S+ (\S+) (\S+) (\S+) \S+ - (.*)$/;

export function parseLine(text: string): Line {
  const [, priority = '', host = '', program = '', pid = '', message = ''] = HEAD.exec(text) ?? [];
  const number = Number(priority);
  return {
    severity: number % 8,
    facility: Math.floor(number / 8),
    host,
    program,
    pid: Number(pid),
    message,
  };
}

export const questions: readonly Question[] = [
  { query: '*', matches: () => true },
  { query: 'failed', matches: ({ message }) => has(message, 'failed') },
  {
    query: 'failed password',
    matches: ({ message }) => has(message, 'failed') && has(message, 'password'),
  },
  { query: '"session opened"', matches: ({ message }) => has(message, 'session opened') },
  { query: 'host=host-002', matches: ({ host }) => host === 'host-002' },
  { query: 'host:host-00*', matches: ({ host }) => host.startsWith('host-00') },
  { query: 'host:host-0?2', matches: ({ host }) => /^host-0\S2$/.test(host) },
  { query: 'program:sshd', matches: ({ program }) => program === 'sshd' },
  { query: 'program:(sshd OR su)', matches: ({ program }) => /^(sshd|su)$/.test(program) },
  { query: 'severity>=error', matches: ({ severity }) => severity <= 3 },
  { query: 'severity:warning', matches: ({ severity }) => severity === 4 },
  { query: 'facility=daemon', matches: ({ facility }) => facility === 3 },
  { query: 'pid>1000', matches: ({ pid }) => pid > 1000 },
  { query: 'pid:[100 TO 500}', matches: ({ pid }) => pid >= 100 && pid < 500 },
  {
    query: 'connect*',
    matches: ({ message, program, host }) =>
      [message, program, host].some((text) => /(?<![\p{L}\p{N}])connect/iu.test(text)),
  },
  { query: 'message:/port \\d{4,5}/', matches: ({ message }) => /port \d{4,5}/.test(message) },
  { query: '-failed', matches: (line) => !anywhere(line, 'failed') },
  {
    query: 'failed OR denied OR refused',
    matches: (line) => ['failed', 'denied', 'refused'].some((word) => anywhere(line, word)),
  },
  {
    query: '(program:sshd OR program:su) -"session opened"',
    matches: (line) => /^(sshd|su)$/.test(line.program) && !anywhere(line, 'session opened'),
  },
  {
    query: 'user severity<=info -program=sshd',
    matches: (line) => anywhere(line, 'user') && line.severity >= 6 && line.program !== 'sshd',
  },
];

function anywhere({ message, program, host }: Line, text: string): boolean {
  return [message, program, host].some((part) => has(part, text));
}

/** Whether a text contains another in any case, with no letter or digit next to it. */
function has(text: string, part: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}])${part}(?![\\p{L}\\p{N}])`, 'iu').test(text);
}
