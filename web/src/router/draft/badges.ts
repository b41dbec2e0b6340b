/** The draft's changes to each item, as a word or two for its card. Pure. */
import {
  type Item,
  type Json,
  type RouterDocument,
  type Section,
  idOf,
  isObject,
  valueAt,
} from '../document';
import { settingsAt } from '../fields';
import { kindOf, stepsOf } from '../steps/steps';

/** The badges of an item of the draft; none if it is the same as the live one. */
export function badgesOf(live: RouterDocument, section: Section, item: Item): readonly string[] {
  const before = live[section].find((one) => idOf(one) === idOf(item));
  if (before === undefined) return ['new'];
  if (before === item) return [];
  if (before['kind'] !== item['kind']) return ['kind changed'];
  const kind = typeof item['kind'] === 'string' ? item['kind'] : '';
  const settings = new Map(settingsAt(section, kind).map((setting) => [setting.key, setting]));
  const keys = [...new Set([...leavesOf(before), ...leavesOf(item)])];
  const changed = keys.filter((key) => {
    const standard = settings.get(key)?.default;
    return written(before, key, standard) !== written(item, key, standard);
  });
  return changed.flatMap((key) => wordsFor(key, before, item, settings.get(key)?.label));
}

/** The positions of the steps of a route that are not live in this form. */
export function newSteps(live: RouterDocument, route: Item): ReadonlySet<number> {
  const before = live.routes.find((one) => idOf(one) === idOf(route));
  if (before === undefined) return new Set();
  const old = stepsOf(before).map((step) => JSON.stringify(step));
  const added = stepsOf(route).flatMap((step, at) => {
    const same = old.indexOf(JSON.stringify(step));
    if (same === -1) return [at];
    old.splice(same, 1);
    return [];
  });
  return new Set(added);
}

function wordsFor(key: string, before: Item, item: Item, label: string | undefined): string[] {
  switch (key) {
    case 'enabled':
      return [item['enabled'] === false ? 'disabled' : 'enabled'];
    case 'where':
      return ['filter changed'];
    case 'from':
      return ['sources changed'];
    case 'to':
      return ['targets changed'];
    case 'steps':
      return stepWords(before, item);
    case 'final':
      return [item['final'] === true ? 'ends here' : 'goes on'];
    default:
      return [`${(label ?? key).toLowerCase()} changed`];
  }
}

function stepWords(before: Item, item: Item): string[] {
  const [old, now] = [stepsOf(before), stepsOf(item)].map((steps) => steps.map(kindOf));
  const added = without(now ?? [], old ?? []);
  const removed = without(old ?? [], now ?? []);
  if (added.length === 0 && removed.length === 0) return ['steps changed'];
  return [...added.map((kind) => `+ ${kind}`), ...removed.map((kind) => `− ${kind}`)];
}

/** The entries of a list that another list does not have, or has less often. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const rest = [...other];
  return list.filter((one) => {
    const at = rest.indexOf(one);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}

/** The dotted keys of an item, without its name. */
function leavesOf(item: Item, prefix = ''): string[] {
  return Object.entries(item).flatMap(([key, value]) => {
    if (prefix === '' && key === 'id') return [];
    return isObject(value) ? leavesOf(value, `${prefix}${key}.`) : [`${prefix}${key}`];
  });
}

/** The value of a key, or its default, as a text to compare. */
function written(item: Item, key: string, standard: string | undefined): string {
  const value = valueAt(item, key);
  if (value === undefined || value === null || value === '') return standard ?? '';
  return Array.isArray(value) ? value.map(plain).join('\n') : plain(value);
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
