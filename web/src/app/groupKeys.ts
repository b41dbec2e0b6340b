/** The bound keys in groups, as the help lists them. */
import type { Binding } from '../ui/keys';

export type KeyGroup = { name: string; keys: { does: string; keys: string[] }[] };

/** The order of the groups after that of the page. Groups that are not listed come last. */
const ORDER = ['Time range', 'Go to', 'Console'];

/** Groups the keys, with the page's own first. Two keys for the same action share a line. */
export function groupKeys(bound: readonly Binding[], page: string): KeyGroup[] {
  const groups: KeyGroup[] = [];
  for (const { keys, does, group } of bound) {
    if (does === null) continue;
    const name = group === '' ? page : group;
    const listed = groups.find((one) => one.name === name) ?? { name, keys: [] };
    if (!groups.includes(listed)) groups.push(listed);
    const line = listed.keys.find((one) => one.does === does);
    if (line === undefined) listed.keys.push({ does, keys: [keys] });
    else if (!line.keys.includes(keys)) line.keys.push(keys);
  }
  return groups.sort((a, b) => placeOf(a, page) - placeOf(b, page));
}

function placeOf({ name }: KeyGroup, page: string): number {
  if (name === page) return -1;
  const at = ORDER.indexOf(name);
  return at < 0 ? ORDER.length : at;
}
