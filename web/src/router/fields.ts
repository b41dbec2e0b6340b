/**
 * The settings of each kind of item, with their texts. They come from the server's catalogue (catalogue.json is
 * generated, see CONTRIBUTING.md); the initial values of a new item are defined here.
 */
import catalogue from './catalogue.json';
import type { Item, Section } from './document';

export type Setting = {
  /** Dotted where it stands in a table, as `coalesce.delay`. */
  key: string;
  label: string;
  help: string;
  kind: 'text' | 'size' | 'duration' | 'number' | 'switch' | 'list' | 'choice' | 'later';
  choices?: readonly string[];
  /** The value that an empty field stands for. */
  default?: string;
  /** The text in an empty field: an example, or what empty means. */
  placeholder?: string;
};

export type KindSpec = {
  kind: string;
  label: string;
  /** The keys that a new item of the kind begins with, besides its name. */
  initial: Item;
  fields: readonly Setting[];
};

/** Those that every form has in its own way. */
const special = ['id', 'kind', 'enabled'];

const sources: readonly KindSpec[] = [
  {
    kind: 'syslog',
    label: 'Syslog over UDP, TCP, TLS and unix sockets',
    initial: { kind: 'syslog', listen: ['tcp://0.0.0.0:5515'] },
    fields: settingsOf('sources', 'syslog'),
  },
  {
    kind: 'relp',
    label: 'Syslog over RELP, acknowledged',
    initial: { kind: 'relp', listen: ['relp://0.0.0.0:2515'] },
    fields: settingsOf('sources', 'relp'),
  },
  {
    kind: 'gelf',
    label: 'GELF over UDP, TCP and TLS',
    initial: { kind: 'gelf', listen: ['udp://0.0.0.0:12201'] },
    fields: settingsOf('sources', 'gelf'),
  },
  {
    kind: 'otlp',
    label: 'OpenTelemetry logs over gRPC and HTTP',
    initial: { kind: 'otlp', listen: ['grpc://0.0.0.0:4317', 'http://0.0.0.0:4318'] },
    fields: settingsOf('sources', 'otlp'),
  },
  {
    kind: 'file',
    label: 'Lines of files',
    initial: { kind: 'file', paths: ['/var/log/*.log'] },
    fields: settingsOf('sources', 'file'),
  },
  { kind: 'http', label: 'HTTP ingest', initial: { kind: 'http' }, fields: [] },
  { kind: 'internal', label: 'Logstead’s own log', initial: { kind: 'internal' }, fields: [] },
];

const destinations: readonly KindSpec[] = [
  {
    kind: 'syslog',
    label: 'Syslog server over UDP, TCP or TLS',
    initial: { kind: 'syslog', to: ['tcp://'] },
    fields: settingsOf('destinations', 'syslog'),
  },
  {
    kind: 'relp',
    label: 'Syslog server over RELP, acknowledged',
    initial: { kind: 'relp', to: ['relp://'] },
    fields: settingsOf('destinations', 'relp'),
  },
  {
    kind: 'file',
    label: 'File',
    initial: { kind: 'file', path: 'forward/all.log' },
    fields: settingsOf('destinations', 'file'),
  },
  {
    kind: 's3',
    label: 'Objects in S3',
    initial: { kind: 's3', bucket: '', access_key: '', secret_key_file: 's3.key' },
    fields: settingsOf('destinations', 's3'),
  },
  {
    kind: 'elastic',
    label: 'Elasticsearch or OpenSearch',
    initial: { kind: 'elastic', url: 'https://', index: 'logs-logstead-default' },
    fields: settingsOf('destinations', 'elastic'),
  },
  {
    kind: 'loki',
    label: 'Grafana Loki',
    initial: { kind: 'loki', url: 'https://' },
    fields: settingsOf('destinations', 'loki'),
  },
  {
    kind: 'splunk_hec',
    label: 'Splunk HTTP event collector',
    initial: { kind: 'splunk_hec', url: 'https://', token_file: 'splunk.token' },
    fields: settingsOf('destinations', 'splunk_hec'),
  },
  {
    kind: 'otlp',
    label: 'OpenTelemetry over HTTP',
    initial: { kind: 'otlp', url: 'https://' },
    fields: settingsOf('destinations', 'otlp'),
  },
  {
    kind: 'ndjson_http',
    label: 'Lines over HTTP',
    initial: { kind: 'ndjson_http', url: 'https://' },
    fields: settingsOf('destinations', 'ndjson_http'),
  },
];

const logspace: KindSpec = {
  kind: '',
  label: 'Logspace',
  initial: {},
  fields: settingsOf('logspaces', ''),
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

/** A new item of a section, of its first kind. Whether a route is final is asked: see `Afterwards`. */
export function newItem(section: Section, id: string): Item {
  if (section === 'routes') return { id, from: [], where: '', to: [] };
  return { id, ...kindsOf(section)[0]?.initial };
}

/**
 * Every setting of an item. If its kind is unknown, or not chosen yet, only those that all kinds of the section have.
 */
export function settingsAt(section: Section, kind: string): readonly Setting[] {
  const kinds = sectionsOf(catalogue)[section];
  const [first = [], ...others] = Object.values(kinds);
  const common = () =>
    first.filter((setting) => others.every((of) => of.some(({ key }) => key === setting.key)));
  return (kinds[kind] ?? common()).filter((setting) => setting.kind !== 'later');
}

function settingsOf(section: Section, kind: string): readonly Setting[] {
  return settingsAt(section, kind).filter(({ key }) => !special.includes(key));
}

/** The compiler knows of a JSON file that its texts are texts; a test of the server knows which. */
function sectionsOf(json: unknown) {
  return json as Record<Section, Readonly<Record<string, readonly Setting[]>>>;
}
