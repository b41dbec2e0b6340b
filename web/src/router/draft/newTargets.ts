/** The targets that a draft adds and no route sends to yet: a new route is most likely meant for them. Pure. */
import { type RouterDocument, listOf, targetIds } from '../document';

export function newTargets(live: RouterDocument, draft: RouterDocument): string[] {
  const taken = new Set([...targetIds(live), ...draft.routes.flatMap(({ to }) => listOf(to))]);
  return targetIds(draft).filter((id) => !taken.has(id));
}
