/** The fields that the server's problems belong to. */
import type { DocumentProblem, DocumentWarning } from '../api/model';
import { type Item, type ItemPlace, type Section, idOf, nouns, textOf } from './document';
import { isSection } from './sections';
import { settingsAt } from './fields';

export type ProblemPlace = {
  section: Section;
  index: number;
  /** The dotted key, without positions in lists; empty if the problem is about the whole item. */
  key: string;
};

/** `routes[2].where` → routes, 2, `where`; null if the path is not about an item. */
export function placeOf(path: string): ProblemPlace | null {
  const match = /^([a-z]+)\[(\d+)\](?:\.(.*))?$/.exec(path);
  const [, section = '', index = '', key = ''] = match ?? [];
  if (!isSection(section)) return null;
  return { section, index: Number(index), key: key.replaceAll(/\[\d+\]/g, '') };
}

/** The problems of one item, in any of its fields. */
export function problemsOfItem(
  problems: readonly DocumentProblem[],
  { section, index }: ItemPlace,
): DocumentProblem[] {
  return problems.filter((problem) => {
    const place = placeOf(problem.path);
    return place !== null && place.section === section && place.index === index;
  });
}

/** The problems of one field of an item, as one text; undefined if there are none. */
export function problemOfField(
  problems: readonly DocumentProblem[],
  key: string,
): string | undefined {
  const messages = problems
    .filter(({ path }) => isWithin(placeOf(path)?.key ?? '', key))
    .map(({ message }) => message);
  return messages.length === 0 ? undefined : messages.join('\n');
}

/** The problems of an item that none of its form's fields can show. */
export function problemsOfNoField(
  problems: readonly DocumentProblem[],
  keys: readonly string[],
): DocumentProblem[] {
  return problems.filter(({ path }) => {
    const place = placeOf(path);
    return place === null || !keys.some((key) => isWithin(place.key, key));
  });
}

/** The server's warning about the route at this place, without its name. */
export function warningOfRoute(
  warnings: readonly DocumentWarning[],
  index: number,
): string | undefined {
  const warning = warnings.find(({ path }) => path === `routes[${String(index)}]`);
  return warning?.message.replace(/^route `[^`]*`: /, '');
}

function isWithin(key: string, field: string): boolean {
  return key === field || key.startsWith(`${field}.`);
}

export type ProblemName = {
  /** `Route`, or the whole path if it is not about an item. */
  noun: string;
  /** The item's name, or its number if it has none. */
  name: string;
  /** `filter`, `step 2, pattern`; empty if the path is about the whole item. */
  field: string;
};

/** The name of a path on this page: `routes[1].where` is the filter of the route *security*. */
export function nameOfPath(
  path: string,
  itemAt: (place: ItemPlace) => Item | undefined,
): ProblemName {
  const place = placeOf(path);
  if (place === null) return { noun: path === '' ? 'The document' : path, name: '', field: '' };
  const { section, index, key } = place;
  const item = itemAt({ section, index }) ?? {};
  return {
    noun: nouns[section],
    name: idOf(item) || String(index + 1),
    field: fieldName(section, textOf(item['kind']), path, key),
  };
}

function fieldName(section: Section, kind: string, path: string, key: string): string {
  const [, step, within = ''] = /\.steps\[(\d+)\](?:\.(.*))?$/.exec(path) ?? [];
  if (step !== undefined) {
    return [`step ${Number(step) + 1}`, within.split('.').at(-1)].filter(Boolean).join(', ');
  }
  const label = settingsAt(section, kind).find((setting) => isWithin(key, setting.key))?.label;
  return label === undefined ? key : label.charAt(0).toLowerCase() + label.slice(1);
}
