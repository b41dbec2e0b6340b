/**
 * Edits of the router document, as a pure reducer. A draft is written either as the document's JSON (by the forms)
 * or as its TOML (in the text editor); the server turns one into the other.
 */
import {
  type Item,
  type ItemPlace,
  type Json,
  type RouterDocument,
  type Section,
  idOf,
  listOf,
  targetIds,
  textOf,
  withValue,
} from '../document';

export type Draft = {
  /**
   * The live revision that the draft is based on; the server checks this when the draft is applied.
   */
  base: number;
  content: Content;
};

export type Content =
  { kind: 'document'; document: RouterDocument } | { kind: 'toml'; text: string };

export type Edit =
  | { type: 'set'; place: ItemPlace; key: string; value: Json | undefined }
  | { type: 'replace'; place: ItemPlace; item: Item }
  | { type: 'add'; section: Section; item: Item }
  | { type: 'remove'; place: ItemPlace }
  | { type: 'move'; place: ItemPlace; to: number };

/** The document after one edit. An edit of a position that does not exist changes nothing. */
export function edited(document: RouterDocument, edit: Edit): RouterDocument {
  switch (edit.type) {
    case 'set':
      return set(document, edit.place, edit.key, edit.value);
    case 'replace':
      return change(document, edit.place, () => edit.item);
    case 'add': {
      const items = document[edit.section];
      return {
        ...document,
        [edit.section]: items.toSpliced(addIndex(document, edit.section), 0, edit.item),
      };
    }
    case 'remove': {
      const { section, index } = edit.place;
      return { ...document, [section]: document[section].filter((_, at) => at !== index) };
    }
    case 'move':
      return move(document, edit.place, edit.to);
  }
}

/**
 * The position at which `add` puts an item: a new route goes above the final routes that take
 * everything.
 */
export function addIndex(document: RouterDocument, section: Section): number {
  const items = document[section];
  if (section !== 'routes') return items.length;
  let index = items.length;
  while (index > 0 && takesAll(items[index - 1])) index -= 1;
  return index;
}

/** An id that nothing in the document has: `route`, `route-2`, `route-3`, … */
export function freeId(document: RouterDocument, stem: string): string {
  const { sources, routes, logspaces, destinations } = document;
  const taken = new Set([sources, routes, logspaces, destinations].flat().map(idOf));
  let id = stem;
  for (let number = 2; taken.has(id); number += 1) id = `${stem}-${number}`;
  return id;
}

/**
 * Only a guess at where a route is meant to be: the server says which routes are never reached. Below a route that takes
 * everything, a new one could only ever have copies, even if that one is not final.
 */
function takesAll(route: Item | undefined): boolean {
  if (route === undefined) return false;
  const filter = textOf(route['where']).trim();
  const isWide = (filter === '' || filter === '*') && listOf(route['from']).length === 0;
  return route['fallback'] === true || isWide;
}

function set(
  document: RouterDocument,
  place: ItemPlace,
  key: string,
  value: Json | undefined,
): RouterDocument {
  const item = document[place.section][place.index];
  if (item === undefined) return document;
  const changed = change(document, place, (old) => withValue(old, key, value));
  return key === 'id' && typeof value === 'string'
    ? renamed(changed, place.section, idOf(item), value)
    : changed;
}

/** Routes refer to sources and targets by name, so they are updated if one of these is renamed. */
function renamed(
  document: RouterDocument,
  section: Section,
  from: string,
  to: string,
): RouterDocument {
  const list = section === 'sources' ? 'from' : 'to';
  if (section === 'routes' || from === '' || isNamed(document, section, from)) return document;
  const routes = document.routes.map((route) => {
    const names = listOf(route[list]);
    return names.includes(from)
      ? { ...route, [list]: names.map((name) => (name === from ? to : name)) }
      : route;
  });
  return { ...document, routes };
}

/** Whether another item still has the name, in which case references to it must not be changed. */
function isNamed(document: RouterDocument, section: Section, id: string): boolean {
  const peers =
    section === 'sources' ? document.sources : [...document.logspaces, ...document.destinations];
  return peers.some((item) => idOf(item) === id);
}

function move(document: RouterDocument, { section, index }: ItemPlace, to: number): RouterDocument {
  const items = document[section];
  const item = items[index];
  if (item === undefined || to < 0 || to >= items.length) return document;
  return { ...document, [section]: items.toSpliced(index, 1).toSpliced(to, 0, item) };
}

function change(
  document: RouterDocument,
  { section, index }: ItemPlace,
  apply: (item: Item) => Item,
): RouterDocument {
  const items = document[section].map((item, at) => (at === index ? apply(item) : item));
  return { ...document, [section]: items };
}

/**
 * The targets that a draft adds and that no route sends to yet: a new route is most likely meant
 * for them.
 */
export function newTargets(live: RouterDocument, draft: RouterDocument): string[] {
  const taken = new Set([...targetIds(live), ...draft.routes.flatMap(({ to }) => listOf(to))]);
  return targetIds(draft).filter((id) => !taken.has(id));
}
