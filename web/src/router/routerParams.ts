/** What the router page shows. It lives in the address bar; the draft does not, because it belongs to this tab alone. */
import { type ItemPlace, isSection } from './document';

export const tabs = ['form', 'text', 'counters', 'history'] as const;
export type Tab = (typeof tabs)[number];

export type RouterView = {
  tab: Tab;
  /** The item whose form is open. */
  item: ItemPlace | null;
  /** The revision whose changes are shown. */
  revision: number | null;
};

type Params = Record<string, string | undefined>;

export function readRouterView(params: Params): RouterView {
  return {
    tab: tabs.find((tab) => tab === params['tab']) ?? 'form',
    item: readPlace(params['item'] ?? ''),
    revision: readNumber(params['revision'] ?? ''),
  };
}

export function writeRouterView({ tab, item, revision }: RouterView): Record<string, string> {
  return {
    ...(tab !== 'form' && { tab }),
    ...(item !== null && { item: `${item.section}-${item.index}` }),
    ...(revision !== null && { revision: String(revision) }),
  };
}

function readPlace(text: string): ItemPlace | null {
  const [section = '', index = ''] = text.split('-');
  const at = readNumber(index);
  return isSection(section) && at !== null ? { section, index: at } : null;
}

function readNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
