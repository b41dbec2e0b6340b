/**
 * Joins two changes of one document by the ids of its entries. An entry that only one side changed is taken from that
 * side; one that both changed in different ways is a conflict, for a person to choose. Pure.
 */
import { type Item, type RouterDocument, type Section, idOf } from '../document';
import { sections } from '../sections';

export type MergeSide = 'theirs' | 'ours';

export type Conflict = {
  /** Identifies the conflict by the section and the id. */
  key: string;
  section: Section;
  id: string;
  /** Undefined if that side has no such entry. */
  base: Item | undefined;
  theirs: Item | undefined;
  ours: Item | undefined;
};

export type MergeResult = { document: RouterDocument; conflicts: readonly Conflict[] };

type Entries = ReadonlyMap<string, Item>;

/** A conflict without a choice is resolved as `ours`. */
export function merge(
  base: RouterDocument,
  theirs: RouterDocument,
  ours: RouterDocument,
  choices: ReadonlyMap<string, MergeSide> = new Map(),
): MergeResult {
  const conflicts: Conflict[] = [];
  const document = { ...(isSame(base.version, ours.version) ? theirs : ours) };
  for (const section of sections) {
    const [b, t, o] = [
      entriesOf(base, section),
      entriesOf(theirs, section),
      entriesOf(ours, section),
    ];
    const kept = new Map<string, Item>();
    for (const name of new Set([...b.keys(), ...t.keys(), ...o.keys()])) {
      const [was, their, our] = [b.get(name), t.get(name), o.get(name)];
      const key = `${section} ${name}`;
      let item = our;
      if (isSame(was, our)) item = their;
      else if (!isSame(was, their) && !isSame(their, our)) {
        conflicts.push({
          key,
          section,
          id: idOf(our ?? their ?? {}),
          base: was,
          theirs: their,
          ours: our,
        });
        if (choices.get(key) === 'theirs') item = their;
      }
      if (item !== undefined) kept.set(name, item);
    }
    document[section] = orderOf([...b.keys()], [...t.keys()], [...o.keys()]).flatMap(
      (name): Item[] => {
        const item = kept.get(name);
        return item === undefined ? [] : [item];
      },
    );
  }
  return { document, conflicts };
}

/** Entries by id; entries with the same id are distinguished by their order. */
function entriesOf(document: RouterDocument, section: Section): Entries {
  const entries = new Map<string, Item>();
  for (const item of document[section]) {
    let name = idOf(item);
    while (entries.has(name)) name += ' again';
    entries.set(name, item);
  }
  return entries;
}

/**
 * The order of the side that changed it, ours if both did; an entry that the other side added
 * follows the same entry as there.
 */
function orderOf(base: string[], theirs: string[], ours: string[]): string[] {
  if (isSame(base, ours)) return withAdded(theirs, base);
  const moved = !isSame(common(base, ours), common(ours, base));
  const isTheirs = !moved && !isSame(common(base, theirs), common(theirs, base));
  return isTheirs ? withAdded(theirs, ours) : withAdded(ours, theirs);
}

function common(list: string[], other: string[]): string[] {
  return list.filter((name) => other.includes(name));
}

function withAdded(order: string[], other: string[]): string[] {
  const names = [...order];
  other.forEach((name, at) => {
    if (names.includes(name)) return;
    const before = other.slice(0, at).findLast((one) => names.includes(one));
    names.splice(before === undefined ? 0 : names.indexOf(before) + 1, 0, name);
  });
  return names;
}

/** The order of keys has no meaning in a document. */
export function isSame(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b);
}

function sorted(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
