/** A message for tests. */
import type { Message } from '../../api/model';

export function sample(part: Partial<Message> = {}): Message {
  return {
    id: 'main:1',
    logspace: 'main',
    copy_of: '',
    time: '2026-01-02T03:04:05.678Z',
    received: '2026-01-02T03:04:06Z',
    host: 'web-1',
    program: 'sshd',
    pid: '77',
    msgid: '',
    severity: 6,
    severity_name: 'info',
    facility: 4,
    facility_name: 'auth',
    message: 'Accepted key for ana',
    raw: '<38>1 2026-01-02T03:04:05.678Z web-1 sshd 77 - - Accepted key for ana',
    source: 'syslog',
    peer: '10.0.0.1',
    flags: [],
    fields: {},
    ...part,
  };
}
