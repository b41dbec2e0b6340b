/** What can be set on each kind of item, and how a person is told about it. One table, one form. */
import type { Item, Section } from './document';

export type FieldSpec = {
  /** Dotted where it stands in a table, as `coalesce.delay`. */
  key: string;
  label: string;
  help: string;
  input: FieldInput;
  /** What counts when the field is empty. */
  placeholder?: string;
};

export type FieldInput =
  | { kind: 'text' }
  | { kind: 'number' }
  | { kind: 'lines' }
  | { kind: 'switch' }
  | { kind: 'choice'; options: readonly string[] };

export type KindSpec = {
  kind: string;
  label: string;
  /** The keys that a new item of the kind begins with, besides its name. */
  initial: Item;
  fields: readonly FieldSpec[];
};

const text = { kind: 'text' } as const;

const format: FieldSpec = {
  key: 'format',
  label: 'Format',
  help: 'How a message is parsed. auto: each as what it looks like; raw: not at all.',
  input: { kind: 'choice', options: ['auto', 'rfc5424', 'rfc3164', 'raw'] },
};

const framing: FieldSpec = {
  key: 'framing',
  label: 'Framing',
  help: 'How messages are told apart in a stream. auto: octet counts where a frame begins with one, else newlines.',
  input: { kind: 'choice', options: ['auto', 'newline', 'octet', 'nul', 'multiline'] },
};

const splitDatagrams: FieldSpec = {
  key: 'split_datagrams',
  label: 'Split datagrams',
  help: 'Each line of a datagram is a message.',
  input: { kind: 'switch' },
};

/** How the text of a message is read, whatever it comes in through. */
const reading: readonly FieldSpec[] = [
  format,
  {
    key: 'timezone',
    label: 'Time zone',
    help: 'For time stamps that name none.',
    input: text,
    placeholder: 'UTC',
  },
  {
    key: 'charset',
    label: 'Character set',
    help: 'Of texts that are no UTF-8, as iso-8859-1 or shift_jis.',
    input: text,
    placeholder: 'utf-8',
  },
  {
    key: 'max_message',
    label: 'Longest message',
    help: 'A longer one is cut and flagged.',
    input: text,
    placeholder: '64KiB',
  },
];

/** What is the same for every source that opens sockets. */
const reception = (delay: string): readonly FieldSpec[] => [
  ...reading,
  {
    key: 'max_connections',
    label: 'Most connections',
    help: 'One more is refused.',
    input: { kind: 'number' },
    placeholder: '1000',
  },
  {
    key: 'allow',
    label: 'Allowed senders',
    help: 'One network a line, as 10.0.0.0/8. Empty: everyone.',
    input: { kind: 'lines' },
    placeholder: 'everyone',
  },
  {
    key: 'proxy_protocol',
    label: 'Proxies',
    help: 'Networks whose connections begin with a PROXY protocol header, one a line.',
    input: { kind: 'lines' },
    placeholder: 'none',
  },
  {
    key: 'tls.certificate',
    label: 'Certificate',
    help: 'For encrypted addresses: a file in PEM, absolute or below the data directory.',
    input: text,
  },
  { key: 'tls.key', label: 'Private key', help: 'Its key: a file in PEM.', input: text },
  {
    key: 'tls.client_ca',
    label: 'Authorities of senders',
    help: 'Certificates that senders may show are signed by these: a file in PEM.',
    input: text,
  },
  {
    key: 'tls.require_client_certificate',
    label: 'Only with a certificate',
    help: 'A sender that shows none is refused.',
    input: { kind: 'switch' },
  },
  {
    key: 'coalesce.delay',
    label: 'Read delay',
    help: 'How long a read waits for more messages: a little gives bigger batches for less work.',
    input: text,
    placeholder: delay,
  },
  {
    key: 'coalesce.buffer',
    label: 'Read buffer',
    help: 'The most bytes that one read gathers.',
    input: text,
    placeholder: '1MiB',
  },
  {
    key: 'partitions',
    label: 'Partitions',
    help: 'Workers that the messages of one connection are spread over.',
    input: { kind: 'number' },
    placeholder: 'auto',
  },
];

const sources: readonly KindSpec[] = [
  {
    kind: 'syslog',
    label: 'Syslog over UDP, TCP, TLS and unix sockets',
    initial: { kind: 'syslog', listen: ['tcp://0.0.0.0:5515'] },
    fields: [
      {
        key: 'listen',
        label: 'Listen on',
        help: 'One a line: udp://, tcp:// or tls:// with ADDRESS:PORT; unix-dgram:PATH or unix-stream:PATH.',
        input: { kind: 'lines' },
        placeholder: 'tcp://0.0.0.0:5514',
      },
      framing,
      splitDatagrams,
      ...reception('5ms'),
    ],
  },
  {
    kind: 'relp',
    label: 'Syslog over RELP, acknowledged',
    initial: { kind: 'relp', listen: ['relp://0.0.0.0:2515'] },
    fields: [
      {
        key: 'listen',
        label: 'Listen on',
        help: 'One a line: relp:// or relp+tls:// with ADDRESS:PORT.',
        input: { kind: 'lines' },
        placeholder: 'relp://0.0.0.0:2514',
      },
      ...reception('0ms'),
    ],
  },
  {
    kind: 'file',
    label: 'Lines of files',
    initial: { kind: 'file', paths: ['/var/log/*.log'] },
    fields: [
      {
        key: 'paths',
        label: 'Files',
        help: 'One path a line, absolute or below the data directory; * and ? stand for parts of names.',
        input: { kind: 'lines' },
        placeholder: '/var/log/nginx/*.log',
      },
      {
        key: 'start',
        label: 'Start at',
        help: 'Where reading begins in a file that is there when the source is new.',
        input: { kind: 'choice', options: ['end', 'beginning'] },
      },
      ...reading,
    ],
  },
  { kind: 'http', label: 'HTTP ingest', initial: { kind: 'http' }, fields: [] },
  { kind: 'internal', label: 'Logstead’s own log', initial: { kind: 'internal' }, fields: [] },
];

const queueSize: FieldSpec = {
  key: 'queue.size',
  label: 'Queue size',
  help: 'How many bytes wait while the destination is slow or away.',
  input: text,
  placeholder: '64MiB',
};

const destinations: readonly KindSpec[] = [
  {
    kind: 'syslog',
    label: 'Syslog server',
    initial: { kind: 'syslog', to: 'tcp://' },
    fields: [
      {
        key: 'to',
        label: 'Address',
        help: 'tcp://HOST:PORT',
        input: text,
        placeholder: 'tcp://siem.example:514',
      },
      {
        key: 'format',
        label: 'Format',
        help: 'rfc5424: rendered from what was parsed; raw: the bytes as received.',
        input: { kind: 'choice', options: ['rfc5424', 'raw'] },
      },
      {
        key: 'framing',
        label: 'Framing',
        help: 'octet: a message begins with its length and may hold newlines; newline: it ends with one.',
        input: { kind: 'choice', options: ['octet', 'newline'] },
      },
      queueSize,
    ],
  },
  {
    kind: 'file',
    label: 'File',
    initial: { kind: 'file', path: 'forward/all.log' },
    fields: [
      {
        key: 'path',
        label: 'Path',
        help: 'The file that lines are appended to: absolute, or below the data directory.',
        input: text,
      },
      queueSize,
    ],
  },
];

const logspace: KindSpec = {
  kind: '',
  label: 'Logspace',
  initial: {},
  fields: [
    {
      key: 'retention.age',
      label: 'Keep for',
      help: 'How old a message becomes, as 90d or 12h.',
      input: text,
      placeholder: 'without limit',
    },
    {
      key: 'retention.size',
      label: 'Keep at most',
      help: 'How many bytes on disk, as 200GiB. The oldest go first.',
      input: text,
      placeholder: 'without limit',
    },
    {
      key: 'durability',
      label: 'Durability',
      help: 'When a message is acknowledged. fsync: once it is on the disk; os: once the operating system has it, which is faster and does not outlive a power cut.',
      input: { kind: 'choice', options: ['fsync', 'os'] },
    },
  ],
};

/** The kinds that items of a section come in; a section of one kind has no `kind` key. */
export function kindsOf(section: Exclude<Section, 'routes'>): readonly KindSpec[] {
  switch (section) {
    case 'sources':
      return sources;
    case 'destinations':
      return destinations;
    case 'logspaces':
      return [logspace];
  }
}

/** A new item of a section, of its first kind. */
export function newItem(section: Section, id: string): Item {
  if (section === 'routes') return { id, from: [], where: '', to: [], final: false };
  return { id, ...kindsOf(section)[0]?.initial };
}
