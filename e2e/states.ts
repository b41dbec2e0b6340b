/**
 * The states in which a page knows little or nothing, and the claims that it must not make in them.
 */
import type { Page } from '@playwright/test';
import { expect } from './logstead';
import { type Logstead, defaultRouter } from './server';

/** Every page, and the parts of pages that show the state of something. */
export const places = [
  '/overview',
  '/search',
  '/search?q=*&from=-24h',
  '/search?q=nothing-like-this',
  '/search?q=*+%7C+stats+count()+by+host',
  '/tail',
  '/senders',
  '/router',
  '/router?view=list',
  '/router?view=text',
  '/flow',
  '/send',
  '/logspaces?space=main',
  '/admin',
  '/admin?tab=sessions',
  '/admin?tab=audit',
  '/admin?tab=settings',
  '/admin?tab=certificates',
  '/admin?tab=server',
  '/welcome',
  '/account',
  '/help',
  '/help/api',
] as const;

/** A router document with a destination, whose state a page could praise. */
export const statesRouter =
  defaultRouter.replace('to = ["main"]', 'to = ["main", "copy"]') +
  '\n[[destinations]]\nid = "copy"\nkind = "file"\npath = "copy/{host}.log"\n';

/** A name for a file. */
export function nameOf(place: string): string {
  return place
    .slice(1)
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '');
}

export async function fill(logstead: Logstead): Promise<void> {
  const line = (n: number) => `<14>1 - web-${n % 3} app 1 - - request ${n} served`;
  await logstead.sendTcp(...Array.from({ length: 30 }, (_, n) => line(n)));
  await expect.poll(() => logstead.count('source=syslog')).toBe(30);
}

/** Holds back all answers of the API, like a server that has no time; only the session is known. */
export async function holdAnswers(page: Page): Promise<void> {
  await page.route(
    (url) => url.pathname.startsWith('/api/v1/') && !url.pathname.endsWith('/session'),
    () => undefined,
  );
}

/** Resolves when the page no longer changes or loads by itself. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('main')).not.toBeEmpty();
  await expect(page.getByRole('status', { name: 'Loading the page' })).toHaveCount(0);
}

/** The elements of the page that claim that something is well, by their words or by their looks. */
export function praise(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const words =
      /all is well|accounted for\.|balanced|all hosts are sending|up to date|queue empty|all indexed|nothing in 24 h|\bintact\b|nothing has come in|nothing but its own log/i;
    const marks =
      '.tabler-icon-circle-check, .tabler-icon-circle-check-filled, [data-tone="good"], [data-state="ready"]';
    const isShown = (element: Element) => element.checkVisibility({ checkVisibilityCSS: true });
    const own = (element: Element) =>
      [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.textContent ?? '')
        .join(' ');
    const all = [...document.body.querySelectorAll('*')].filter(isShown);
    // A verdict is short; the guide mentions the same words in sentences.
    const isVerdict = (text: string) => text.length <= 120 && words.test(text);
    return [
      ...all.map(own).filter(isVerdict),
      ...all.filter((element) => element.matches(marks)).map((element) => element.outerHTML),
    ];
  });
}
