/**
 * The names of items in a text that cannot be parsed as a document, as far as they can be
 * recognised. Pure.
 */
import { type Item, type ItemPlace, type RouterDocument, itemAt } from './document';
import type { Content } from './draft/edits';

/** The items for looking up names: those of the document, or of its text at the same place. */
export function itemsOf(
  document: RouterDocument | null,
  content: Content | null,
): (place: ItemPlace) => Item | undefined {
  return (place) => {
    if (document !== null) return itemAt(document, place);
    return content?.kind === 'toml' ? itemInText(content.text, place) : undefined;
  };
}

const HEAD = /^\s*\[\[(\w+)\]\]/;
const KEY = /^\s*(id|kind)\s*=\s*(["'])(.*?)\2/;

export function itemInText(text: string, { section, index }: ItemPlace): Item | undefined {
  let seen = -1;
  let item: Item | undefined;
  for (const line of text.split('\n')) {
    const head = HEAD.exec(line)?.[1];
    if (head !== undefined || line.trimStart().startsWith('[')) {
      if (item !== undefined) return item;
      if (head === section) seen += 1;
      if (head === section && seen === index) item = {};
      continue;
    }
    const [, key, , value] = KEY.exec(line) ?? [];
    if (item !== undefined && key !== undefined && value !== undefined) item[key] ??= value;
  }
  return item;
}
