/**
 * The logspaces that a change removes from the document, and whether the name of each was typed to
 * confirm it. Pure.
 */
import { type RouterDocument, idOf } from '../document';

export function goneLogspaces(before: RouterDocument, after: RouterDocument): readonly string[] {
  const kept = new Set(after.logspaces.map(idOf));
  return before.logspaces.map(idOf).filter((id) => id !== '' && !kept.has(id));
}

/** The text that was typed for each logspace. */
export type TypedNames = Readonly<Record<string, string>>;

export function areTyped(ids: readonly string[], typed: TypedNames): boolean {
  return ids.every((id) => typed[id]?.trim() === id);
}
