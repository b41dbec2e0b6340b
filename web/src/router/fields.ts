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
  | { kind: 'choice'; options: readonly string[] };

export type KindSpec = {
  kind: string;
  label: string;
  /** The keys that a new item of the kind begins with, besides its name. */
  initial: Item;
  fields: readonly FieldSpec[];
};

const text = { kind: 'text' } as const;

const syslogSource: readonly FieldSpec[] = [
  {
    key: 'listen',
    label: 'Listen on',
    help: 'One address a line: udp://ADDRESS:PORT or tcp://ADDRESS:PORT.',
    input: { kind: 'lines' },
    placeholder: 'tcp://0.0.0.0:5514',
  },
  {
    key: 'framing',
    label: 'Framing',
    help: 'How messages are told apart in a stream. auto: octet counts where a frame begins with one, else newlines.',
    input: { kind: 'choice', options: ['auto', 'newline', 'octet', 'nul'] },
  },
  {
    key: 'format',
    label: 'Format',
    help: 'How a message is parsed. auto: each as what it looks like; raw: not at all.',
    input: { kind: 'choice', options: ['auto', 'rfc5424', 'rfc3164', 'raw'] },
  },
  {
    key: 'timezone',
    label: 'Time zone',
    help: 'For time stamps that name none.',
    input: text,
    placeholder: 'UTC',
  },
  {
    key: 'max_message',
    label: 'Longest message',
    help: 'A longer one is cut and flagged.',
    input: text,
    placeholder: '64KiB',
  },
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
    key: 'coalesce.delay',
    label: 'Read delay',
    help: 'How long a read waits for more messages: a little gives bigger batches for less work.',
    input: text,
    placeholder: '5ms',
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
    label: 'Syslog over UDP and TCP',
    initial: { kind: 'syslog', listen: ['tcp://0.0.0.0:5515'] },
    fields: syslogSource,
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
