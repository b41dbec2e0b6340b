/** Saved searches: which parts are saved, and which search opens from them. Pure. */
import type { SavedSearch } from '../../api/savedSearches';
import * as Schemas from '../../api/types';
import { readRange } from '../../ui/range';
import { client, unwrap } from '../../api/client';
import { type SearchState, readSearch, writeSearch } from '../searchParams';

export type { SavedSearch };
/** The view belongs to the console: the server only stores it. */
export type SearchToSave = Required<Schemas.SavedSearchRequest>;

/**
 * The optional parts of a saved search; parts that are not saved stay unchanged when it is opened.
 */
export type SavedPart = 'range' | 'logspaces' | 'view';
export const parts: readonly SavedPart[] = ['range', 'logspaces', 'view'];

type SearchDetails = Pick<SearchToSave, 'name' | 'folder' | 'tags' | 'shared'> & {
  keeps: readonly SavedPart[];
};

/** The parameters of the address that are not part of the view. */
const notView = new Set([
  'q',
  'from',
  'to',
  'logspace',
  'open',
  'tab',
  'marks',
  'saved',
  'refresh',
]);

export function toSave(state: SearchState, { keeps, ...described }: SearchDetails): SearchToSave {
  const { from, to } = ends(state);
  const keepsRange = keeps.includes('range');
  return {
    ...described,
    query: state.query,
    from: keepsRange ? from : null,
    to: keepsRange ? to : null,
    logspaces:
      keeps.includes('logspaces') && state.logspaces.length > 0 ? [...state.logspaces] : null,
    view: { keeps, ...(keeps.includes('view') && { params: viewParams(state) }) },
  };
}

/** The search page that a saved search opens; `now` is the current one. */
export function opened(saved: SavedSearch, now: SearchState): SearchState {
  const keeps = keptParts(saved);
  const view = keeps.includes('view') ? readSearch(savedParams(saved)) : now;
  return {
    ...view,
    query: saved.query,
    range: keeps.includes('range') ? rangeOf(saved) : now.range,
    logspaces: keeps.includes('logspaces') ? (saved.logspaces ?? []) : now.logspaces,
    refresh: now.refresh,
    open: null,
    tab: 'fields',
    marks: [],
    saved: String(saved.id),
  };
}

/** Whether the page differs from the saved search. */
export function isChanged(saved: SavedSearch, state: SearchState): boolean {
  const same = (one: SearchState) =>
    JSON.stringify(
      Object.entries(writeSearch({ ...one, open: null, tab: 'fields', marks: [] })).sort(),
    );
  return same(opened(saved, state)) !== same(state);
}

export function keptParts({ view }: Pick<SavedSearch, 'view'>): readonly SavedPart[] {
  const kept = viewPart(view, 'keeps');
  // If another program saved it, it states no parts: in that case all of them are saved.
  if (!Array.isArray(kept)) return parts;
  return parts.filter((part) => kept.includes(part));
}

/** Searches by folder and name, beginning with those without a folder. */
type Folder = { name: string; searches: SavedSearch[] };

export function inFolders(searches: readonly SavedSearch[]): Folder[] {
  const folders = new Map<string, SavedSearch[]>();
  for (const search of [...searches].sort(byName)) {
    const folder = folders.get(search.folder) ?? [];
    folder.push(search);
    folders.set(search.folder, folder);
  }
  return [...folders].map(([name, list]) => ({ name, searches: list }));
}

/** Every word must occur somewhere in the search; the tag must be one of its tags. */
export function found(
  searches: readonly SavedSearch[],
  text: string,
  tag: string | null,
): SavedSearch[] {
  const words = text.toLowerCase().split(/\s+/u);
  return searches.filter((search) => {
    const { name, folder, tags, query, owner } = search;
    const all = [name, folder, query, owner, ...tags].join('\n').toLowerCase();
    return words.every((word) => all.includes(word)) && (tag === null || tags.includes(tag));
  });
}

export function tagsOf(searches: readonly SavedSearch[]): string[] {
  return [...new Set(searches.flatMap(({ tags }) => tags))].sort(texts.compare);
}

/** `web errors 2`, if `web errors` is already taken. */
export function freeName(name: string, folder: string, searches: readonly SavedSearch[]): string {
  const taken = new Set(
    searches.filter((search) => search.mine && search.folder === folder).map((one) => one.name),
  );
  if (!taken.has(name)) return name;
  const base = name.replace(/ \d+$/u, '');
  for (let count = 2; ; count += 1) {
    if (!taken.has(`${base} ${count}`)) return `${base} ${count}`;
  }
}

const texts = new Intl.Collator('en', { numeric: true });

function byName(a: SavedSearch, b: SavedSearch): number {
  return texts.compare(a.folder, b.folder) || texts.compare(a.name, b.name) || a.id - b.id;
}

function ends({ range }: SearchState): { from: string | null; to: string | null } {
  switch (range.kind) {
    case 'last':
      return { from: `-${range.span}`, to: null };
    case 'all':
      return { from: null, to: null };
    case 'between':
      return { from: range.from, to: range.to };
  }
}

function rangeOf({ from, to }: SavedSearch): SearchState['range'] {
  return from === null && to === null
    ? { kind: 'all' }
    : readRange(from ?? undefined, to ?? undefined);
}

function viewParams(state: SearchState): Record<string, string> {
  const params = Object.entries(writeSearch(state)).filter(([name]) => !notView.has(name));
  return Object.fromEntries(params);
}

/**
 * Only values that an address can have: any program may have written the view that the server
 * stores.
 */
function savedParams({ view }: SavedSearch): Record<string, string> {
  const params = viewPart(view, 'params');
  if (typeof params !== 'object' || params === null) return {};
  return Object.fromEntries(
    Object.entries(params).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !notView.has(entry[0]),
    ),
  );
}

function viewPart(view: unknown, name: string): unknown {
  return typeof view === 'object' && view !== null
    ? new Map<string, unknown>(Object.entries(view)).get(name)
    : undefined;
}

/** A stored search in the form in which it is sent to the server. */
export function withoutHistory(saved: SavedSearch): SearchToSave {
  const { name, folder, tags, shared, query, from, to, logspaces, view } = saved;
  return { name, folder, tags, shared, query, from, to, logspaces, view };
}

/** A stored search, updated with those parts of the current one that it saves. */
export function updated(saved: SavedSearch, state: SearchState): SearchToSave {
  return toSave(state, { ...withoutHistory(saved), keeps: keptParts(saved) });
}

/** A private copy, with a name of its own. */
export function duplicate(saved: SavedSearch, known: readonly SavedSearch[]): SearchToSave {
  const name = freeName(saved.name, saved.folder, known);
  return { ...withoutHistory(saved), shared: false, name };
}

/** The requests about saved searches. */
export function addSaved(body: SearchToSave): Promise<SavedSearch> {
  return unwrap(client.POST('/api/v1/saved-searches', { body }));
}

export function replaceSaved(id: number, body: SearchToSave): Promise<SavedSearch> {
  return unwrap(client.PUT('/api/v1/saved-searches/{id}', { params: { path: { id } }, body }));
}

export async function removeSaved(id: number): Promise<void> {
  await unwrap(client.DELETE('/api/v1/saved-searches/{id}', { params: { path: { id } } }));
}
