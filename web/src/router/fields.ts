/**
 * The kinds of items and their settings, with their texts. They come from the server's catalogue (catalogue.json is
 * generated, see CONTRIBUTING.md).
 */
import catalogue from './catalogue.json';
import type { Item, Section } from './document';

export type Setting = {
  /** The key, which is dotted if it is in a table: `coalesce.delay`. */
  key: string;
  label: string;
  help: string;
  kind: 'text' | 'size' | 'duration' | 'number' | 'switch' | 'list' | 'choice' | 'later';
  choices?: readonly string[];
  /** The value that is used if the field is empty. */
  default?: string;
  /** The text in an empty field: an example, or the meaning of an empty value. */
  placeholder?: string;
};

export type KindSpec = {
  kind: string;
  label: string;
  /** The initial keys of a new item of this kind, besides its name. */
  initial: Item;
  fields: readonly Setting[];
};

/** Those that every form has in its own way. */
const special = ['id', 'kind', 'enabled'];

/** A kind as the catalogue has it. */
type CatalogueItem = Omit<KindSpec, 'fields'> & { settings: readonly Setting[] };

/**
 * For the compiler, the texts in a JSON file are plain strings; a test of the server checks their
 * values.
 */
const sections = catalogue as unknown as Record<Section, readonly CatalogueItem[]>;

/** The kinds of items in a section; if there is only one kind, there is no `kind` key. */
export function kindsOf(section: Exclude<Section, 'routes'>): readonly KindSpec[] {
  return sections[section].map(specOf);
}

/**
 * A new item of a section, of its first kind. Whether a route is final is asked in the form: see
 * `Afterwards`.
 */
export function newItem(section: Section, id: string): Item {
  if (section === 'routes') return { id, from: [], where: '', to: [] };
  return { id, ...kindsOf(section)[0]?.initial };
}

/**
 * Every setting of an item. If its kind is unknown, or not chosen yet, only those that all kinds of the section have.
 */
export function settingsAt(section: Section, kind: string): readonly Setting[] {
  const [first, ...others] = sections[section];
  const known = sections[section].find((item) => item.kind === kind);
  const common = () =>
    first?.settings.filter((setting) =>
      others.every((of) => of.settings.some(({ key }) => key === setting.key)),
    );
  return (known?.settings ?? common() ?? []).filter((setting) => setting.kind !== 'later');
}

function specOf(item: CatalogueItem): KindSpec {
  const { kind, label, initial, settings } = item;
  const shown = settings.filter((one) => one.kind !== 'later' && !special.includes(one.key));
  const first = kind === '' ? initial : { kind, ...initial };
  return { kind, label, initial: first, fields: shown };
}
