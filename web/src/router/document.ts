/** The router document as the forms see it: four lists of items, each a bag of keys that the server judges. */
import type { Section } from './sections';

export type { Section } from './sections';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export type Item = { [key: string]: Json };

export type RouterDocument = { version: Json } & Record<Section, Item[]>;

/**
 * One item of the document, by its position: names may be missing or duplicate while they are
 * edited.
 */
export type ItemPlace = { section: Section; index: number };

/** The word for one item of a section. */
export const nouns: Readonly<Record<Section, string>> = {
  sources: 'Source',
  routes: 'Route',
  logspaces: 'Logspace',
  destinations: 'Destination',
};

export function itemAt(document: RouterDocument, { section, index }: ItemPlace): Item | undefined {
  return document[section][index];
}

export function isSamePlace(a: ItemPlace | null, b: ItemPlace | null): boolean {
  return a !== null && b !== null && a.section === b.section && a.index === b.index;
}

export function idOf(item: Item): string {
  return textOf(item['id']);
}

/** Whether it is disabled. */
export function isOff(item: Item): boolean {
  return item['enabled'] === false;
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * The strings of a list; a single string counts as a list of one. Anything else counts as an empty
 * list.
 */
export function listOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** The value at a dotted key such as `coalesce.delay`. */
export function valueAt(item: Item, key: string): Json | undefined {
  let value: Json | undefined = item;
  for (const part of key.split('.')) value = isObject(value) ? value[part] : undefined;
  return value;
}

/** The item with the value at a dotted key replaced, or removed if it is undefined. */
export function withValue(item: Item, key: string, value: Json | undefined): Item {
  const [head = '', ...rest] = key.split('.');
  const { [head]: old, ...others } = item;
  if (rest.length > 0) {
    const inner = withValue(isObject(old) ? old : {}, rest.join('.'), value);
    return Object.keys(inner).length === 0 ? others : { ...item, [head]: inner };
  }
  return value === undefined ? others : { ...item, [head]: value };
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every name that a route can send to. */
export function targetIds(document: RouterDocument): string[] {
  return [...document.logspaces, ...document.destinations].map(idOf).filter((id) => id !== '');
}

/** The document as the server sent it; a list that is missing or not a list counts as empty. */
export function readDocument(wire: unknown): RouterDocument {
  const document = isObject(wire as Json) ? (wire as { [key: string]: Json }) : {};
  return {
    ...document,
    version: document['version'] ?? 1,
    sources: itemsOf(document['sources']),
    routes: itemsOf(document['routes']),
    logspaces: itemsOf(document['logspaces']),
    destinations: itemsOf(document['destinations']),
  };
}

function itemsOf(value: Json | undefined): Item[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
