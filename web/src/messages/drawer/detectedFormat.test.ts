import { expect, test } from 'vitest';
import type { Message } from '../../api/model';
import { sample } from '../../ui/message/sample';
import { detectedFormat } from './detectedFormat';

function check(part: Parameters<typeof sample>[0], expected: string[]) {
  const told = detectedFormat(sample({ source: 's', peer: '', ...part }), 10).map(
    ({ what, as }) => `${what}: ${as}`,
  );
  for (const line of expected) expect(told).toContain(line);
}

test('a message says what it was taken for', () => {
  check({ raw: '<38>1 - web-1 sshd 77 - - x' }, [
    'Format: RFC 5424',
    'Size: 10 bytes',
    'Source: s',
  ]);
  check({ raw: '<38>Oct 1 22:14:15 mail su: x' }, ['Format: RFC 3164 or a relative of it']);
  check({ raw: 'x', flags: ['unparsed', 'new_flag' as Message['flags'][number]] }, [
    'Format: not recognised: the whole of it is the text',
    'Noted: new_flag',
  ]);
  check({ raw: 'x', flags: ['out_of_step'] }, [
    'Noted: it stood where a message should begin: the sender counts its messages wrongly',
  ]);
  check({ raw: 'x', flags: ['bad_time'] }, [
    'Noted: its stamp stands for no moment: it has the time of receipt',
  ]);
  const undelimited = detectedFormat(sample({ flags: ['undelimited'] }), 10);
  expect(undelimited.some(({ as }) => as.includes('set it to end each with a newline'))).toBe(true);
  check({ message: '{"a":1}', fields: { a: '1' } }, ['Payload: JSON']);
  check({ message: '{"a":1} and more', fields: {} }, []);
  check({ raw_base64: 'AA==', source: 'internal' }, [
    'Size: 10 bytes, not UTF-8',
    'Source: Logstead itself',
  ]);
});
