/**
 * Fetches parts of the console itself, which are left on the server until they are needed. While the server is away a
 * part is waited for; the one that asked goes on by itself when it is there.
 */
import { type FunctionComponent, type ReactNode, lazy } from 'react';
import { under } from '../base';

/**
 * The error if the server is up but does not have a part of the code, because it now serves another
 * version of the console.
 */
export class CodeGone extends Error {
  constructor(cause: unknown) {
    super('A newer version of the console is on the server.', { cause });
    this.name = 'CodeGone';
  }
}

const RETRY_MS = 1_000;
/**
 * The number of attempts, as a server that is starting up may refuse one request and serve the
 * next.
 */
const GONE_TRIES = 3;

export async function fetched<Part>(load: () => Promise<Part>): Promise<Part> {
  watchStyles();
  for (let gone = 0; ;) {
    try {
      await fetchStylesAgain();
      return await load();
    } catch (error) {
      if (await isServerThere()) gone += 1;
      if (gone === GONE_TRIES) throw new CodeGone(error);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

type PropsOf<Component> = Component extends (props: infer Props) => ReactNode ? Props : never;

/** A component that is fetched when it is shown for the first time, by the name of its export. */
export function lazyPart<Part, Name extends keyof Part>(load: () => Promise<Part>, name: Name) {
  return lazy(async () => ({
    default: (await fetched(load))[name] as FunctionComponent<PropsOf<Part[Name]>>,
  }));
}

async function isServerThere(): Promise<boolean> {
  const answer = await fetch(under('/healthz'), { cache: 'no-store' }).catch(() => null);
  return answer?.ok === true;
}

/**
 * Style sheets that could not be loaded. The loader considers them loaded from then on, so nothing
 * else requests them again.
 */
const failedStyles = new Set<HTMLLinkElement>();
let isWatching = false;

function watchStyles(): void {
  if (isWatching) return;
  isWatching = true;
  const notice = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedStyles.add(target);
  };
  // Such events do not bubble.
  document.addEventListener('error', notice, true);
}

async function fetchStylesAgain(): Promise<void> {
  await Promise.all(
    [...failedStyles].map(async (link) => {
      failedStyles.delete(link);
      const again = link.cloneNode() as HTMLLinkElement;
      await new Promise<unknown>((resolve, reject) => {
        again.onload = resolve;
        again.onerror = () => reject(new Error(`${again.href} cannot be fetched`));
        link.replaceWith(again);
      });
    }),
  );
}
