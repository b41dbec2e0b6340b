/** Logspaces that a change takes out of the document, and whether each was typed to confirm it. Pure. */
import { type RouterDocument, idOf } from '../document';

export function goneLogspaces(before: RouterDocument, after: RouterDocument): readonly string[] {
  const kept = new Set(after.logspaces.map(idOf));
  return before.logspaces.map(idOf).filter((id) => id !== '' && !kept.has(id));
}

/** The text that was typed for each. */
export type TypedNames = Readonly<Record<string, string>>;

export function areTyped(ids: readonly string[], typed: TypedNames): boolean {
  return ids.every((id) => typed[id]?.trim() === id);
}
