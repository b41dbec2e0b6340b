/**
 * The settings of an item in groups. Settings that most items leave alone are behind a heading that lists the set ones.
 * Pure.
 */
import { type Item, type Section, listOf, textOf, valueAt } from './document';
import type { Setting } from './fields';

export type FieldGroup = {
  name: string;
  /** Whether it is collapsed at first. */
  isAdvanced: boolean;
  fields: readonly Setting[];
};

type Rule = { name: string; keys: RegExp };

const ofSources: readonly Rule[] = [
  { name: 'Parsing', keys: /^(framing|split_datagrams|format|timezones?|charset)$/ },
  { name: 'TLS', keys: /^tls\./ },
  { name: 'Access', keys: /^(allow|proxy_protocol)$/ },
  { name: 'Limits', keys: /^(.*_max|coalesce\..*|partitions)$/ },
];

const ofDestinations: readonly Rule[] = [
  { name: 'Sign-in', keys: /^(api_key|token|user|password)(_file)?$/ },
  { name: 'Format', keys: /^(framing|format|compression|headers|method)$/ },
  { name: 'TLS', keys: /^tls\./ },
  { name: 'Proxy', keys: /^proxy$/ },
  { name: 'Queue', keys: /^queue\./ },
  { name: 'Limits', keys: /^(connections|timeout|window|object\..*|rotate\..*)$/ },
];

/** The first group is *Basic*; groups without a field are left out. */
export function groupsOf(section: Section, fields: readonly Setting[]): readonly FieldGroup[] {
  const rules =
    section === 'sources' ? ofSources : section === 'destinations' ? ofDestinations : [];
  const groupOf = ({ key }: Setting) => rules.find(({ keys }) => keys.test(key))?.name ?? 'Basic';
  return ['Basic', ...rules.map(({ name }) => name)]
    .map((name) => ({
      name,
      isAdvanced: name !== 'Basic',
      fields: fields.filter((field) => groupOf(field) === name),
    }))
    .filter((group) => group.fields.length > 0);
}

const SECRETS = /^(api_key|token|password|secret_key|headers|proxy)$/;

/**
 * The settings of a group that differ from their defaults, like `Framing octet, Longest message
 * 1MiB`; empty if there are none.
 */
export function setText(fields: readonly Setting[], item: Item): string {
  return fields
    .flatMap(({ key, label, default: standard }) => {
      const value = valueAt(item, key);
      const text = typeof value === 'boolean' ? String(value) : textOf(value);
      if (value === undefined || text === standard) return [];
      const shown = SECRETS.test(key) ? '' : text || listOf(value).join(', ');
      return [`${label} ${shown}`.trim()];
    })
    .join(', ');
}
