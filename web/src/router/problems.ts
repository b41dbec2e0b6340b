/** Which field a problem of the server belongs to. */
import type { DocumentProblem } from '../api/model';
import { type ItemPlace, type Section, isSection } from './document';

export type ProblemPlace = {
  section: Section;
  index: number;
  /** Dotted, without positions in lists; empty when the item as a whole is meant. */
  key: string;
};

/** `routes[2].where` → routes, 2, `where`; null when no item is meant. */
export function placeOf(path: string): ProblemPlace | null {
  const match = /^([a-z]+)\[(\d+)\](?:\.(.*))?$/.exec(path);
  const [, section = '', index = '', key = ''] = match ?? [];
  if (!isSection(section)) return null;
  return { section, index: Number(index), key: key.replaceAll(/\[\d+\]/g, '') };
}

/** What is wrong with one item, in any of its fields. */
export function problemsOfItem(
  problems: readonly DocumentProblem[],
  { section, index }: ItemPlace,
): DocumentProblem[] {
  return problems.filter((problem) => {
    const place = placeOf(problem.path);
    return place !== null && place.section === section && place.index === index;
  });
}

/** What is wrong with one field of an item, as one text; undefined when it is fine. */
export function problemOfField(
  problems: readonly DocumentProblem[],
  key: string,
): string | undefined {
  const messages = problems
    .filter(({ path }) => isWithin(placeOf(path)?.key ?? '', key))
    .map(({ message }) => message);
  return messages.length === 0 ? undefined : messages.join('\n');
}

/** What is wrong with an item that none of its form's fields can show. */
export function problemsOfNoField(
  problems: readonly DocumentProblem[],
  keys: readonly string[],
): DocumentProblem[] {
  return problems.filter(({ path }) => {
    const place = placeOf(path);
    return place === null || !keys.some((key) => isWithin(place.key, key));
  });
}

/** What the server says of a route that no message reaches. */
export function warningOfRoute(warnings: readonly string[], id: string): string | undefined {
  const start = `route \`${id}\`: `;
  return warnings.find((warning) => warning.startsWith(start))?.slice(start.length);
}

function isWithin(key: string, field: string): boolean {
  return key === field || key.startsWith(`${field}.`);
}
