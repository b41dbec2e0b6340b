/** The fields that a step changes, and those by which another step tells messages apart. Pure. */
import { type Item, isObject, listOf } from '../document';
import { kindOf } from '../steps/steps';

/** The parts of a message besides its fields that no rewriting of text changes. */
const HEAD = ['time', 'host', 'program', 'severity', 'facility', 'pid', 'msgid', 'source'];

/** The fields that a step goes by; null where that may be any. */
export function compared(step: Item): readonly string[] | null {
  switch (kindOf(step)) {
    case 'dedup':
      return listOf(step['dedup']);
    case 'sample':
    case 'throttle':
      return listOf(step['by']);
    default:
      return null;
  }
}

/** Whether a step can change one of these fields. */
export function changes(step: Item, fields: readonly string[] | null): boolean {
  if (fields === null) return true;
  const has = (names: readonly string[]) => fields.some((field) => names.includes(field));
  switch (kindOf(step)) {
    case 'mask':
      return fields.some((field) => !HEAD.includes(field));
    case 'replace':
      return has(listOf(step['in']));
    case 'set':
      return has(keysOf(step['set']));
    case 'unset':
      return has(listOf(step['unset']));
    case 'rename':
      return has([...keysOf(step['rename']), ...valuesOf(step['rename'])]);
    case 'tag':
      return has(['tags']);
    case 'lookup':
      return has(listOf(step['set']));
    default:
      // The fields that it parses are known only from the messages.
      return fields.some((field) => !HEAD.includes(field) && field !== 'message');
  }
}

function keysOf(value: Item[string] | undefined): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function valuesOf(value: Item[string] | undefined): string[] {
  return isObject(value) ? listOf(Object.values(value)) : [];
}
