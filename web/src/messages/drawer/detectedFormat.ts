/**
 * The format that was recognised for a message, from its bytes and the flags set at its receipt.
 */
import type { Message } from '../../api/model';

export type DetectedFormat = { what: string; as: string };

export function detectedFormat(message: Message, bytes: number): DetectedFormat[] {
  return [
    { what: 'Format', as: formatOf(message) },
    ...payloadOf(message),
    { what: 'Size', as: `${bytes} bytes${message.raw_base64 === undefined ? '' : ', not UTF-8'}` },
    { what: 'Source', as: message.source === 'internal' ? 'Logstead itself' : message.source },
    ...(message.peer === '' ? [] : [{ what: 'Sent from', as: message.peer }]),
    ...message.flags.map((flag) => ({ what: 'Noted', as: noteOf(flag) })),
    ...(message.device_time === undefined
      ? []
      : [
          {
            what: 'Noted',
            as: `the sender’s clock said ${message.device_time}, which was not believed`,
          },
        ]),
  ];
}

function formatOf({ raw, flags }: Message): string {
  if (flags.includes('unparsed')) return 'not recognised: the whole of it is the text';
  if (/^(\ufeff)?<\d{1,3}>1 /u.test(raw)) return 'RFC 5424';
  if (/^(\ufeff)?<\d{1,3}>/u.test(raw)) return 'RFC 3164 or a relative of it';
  return 'no syslog header';
}

/** The format of a payload is recognised by its beginning. */
function payloadOf({ message, fields }: Message): DetectedFormat[] {
  if (Object.keys(fields).length === 0) return [];
  const kinds: readonly [RegExp, string][] = [
    [/^(?:@cee:\s*)?\{/u, 'JSON'],
    [/^CEF:\d/u, 'CEF'],
    [/^LEEF:\d/u, 'LEEF'],
    [/^\S+=/u, 'pairs of name and value'],
  ];
  const kind = kinds.find(([begins]) => begins.test(message));
  return kind === undefined ? [] : [{ what: 'Payload', as: kind[1] }];
}

function noteOf(flag: string): string {
  switch (flag) {
    case 'truncated':
      return 'cut at the size limit of the source';
    case 'unparsed':
      return 'no header that is known';
    case 'incomplete':
      return 'the sender went away before its end';
    case 'out_of_step':
      return 'it stood where a message should begin: the sender counts its messages wrongly';
    case 'undelimited':
      return (
        'the sender puts nothing between its messages: set it to end each with a newline ' +
        '(winston-syslog: eol: "\\n"; Log4j2: newLine="true" in the layout; Rust’s syslog crate: UDP or a unix socket)'
      );
    case 'not_utf8':
      return 'bytes of it are not UTF-8: “�” stands for them, and the raw bytes have them';
    case 'bad_time':
      return 'its stamp stands for no moment: it has the time of receipt';
    default:
      return flag;
  }
}
