/** A draft's changes in a few words each: "+ mask in payments", "filter of edge". Pure. */
import { type RouterDocument, type Section, idOf } from '../document';
import { badgesOf } from './badges';

/** The kind of change, and the item. */
export type ShortChange = { what: string; id: string };

/** Routes come first, because they are edited most often. */
const ORDER: readonly Section[] = ['routes', 'sources', 'destinations', 'logspaces'];

export function shortChangesOf(live: RouterDocument, draft: RouterDocument): ShortChange[] {
  const briefs = ORDER.flatMap((section) => {
    const here = new Set(draft[section].map(idOf));
    const changed = draft[section].flatMap((item) =>
      badgesOf(live, section, item).map((badge) => ({ what: wordsOf(badge), id: idOf(item) })),
    );
    const removed = live[section].filter((item) => !here.has(idOf(item)));
    return [...changed, ...removed.map((item) => ({ what: '−', id: idOf(item) }))];
  });
  return isReordered(live, draft) ? [...briefs, { what: 'order of', id: 'routes' }] : briefs;
}

/** A badge describes a change on the card of its item; here the item's name follows it. */
function wordsOf(badge: string): string {
  if (badge === 'new') return '+';
  if (badge === 'ends here') return 'ends at';
  if (badge === 'goes on') return 'goes on after';
  if (/^[+−] /.test(badge)) return `${badge} in`;
  return badge.replace(/ changed$/, ' of');
}

function isReordered(live: RouterDocument, draft: RouterDocument): boolean {
  const [before, now] = [live.routes.map(idOf), draft.routes.map(idOf)];
  const common = before.filter((id) => now.includes(id));
  const after = now.filter((id) => before.includes(id));
  return common.some((id, at) => id !== after[at]);
}
