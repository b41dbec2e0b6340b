/** How the server is. It is loaded once the page has nothing more urgent to do: nobody waits for it. */
import { type ComponentType, useEffect, useState } from 'react';
import classes from './Health.module.css';

/** By then a page has what it needs, also on a slow machine. */
const SETTLE_MS = 4_000;
const IDLE_WAIT_MAX_MS = 2_000;
const RETRY_MS = 5_000;

type Props = { version: string };
type Loaded = { Face: ComponentType<Props> };

export function Health({ version }: Props) {
  const loaded = useLoaded();
  if (loaded === null) {
    return (
      <span className={classes.opener} aria-hidden>
        <span className={classes.dot} />
      </span>
    );
  }
  return <loaded.Face version={version} />;
}

/** Not React's `lazy`: if the server is away just then, that must not take the page with it. */
function useLoaded(): Loaded | null {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const load = async () => {
      try {
        await idle();
        const { HealthFace } = await import('./HealthFace');
        if (!isGone) setLoaded({ Face: HealthFace });
      } catch {
        if (!isGone) timer = setTimeout(() => void load(), RETRY_MS);
      }
    };
    void load();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, []);
  return loaded;
}

/** After the query's editor and the first rows, which are waited for. */
async function idle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  // Not every browser has it, whatever the types say.
  if (!('requestIdleCallback' in window)) return;
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: IDLE_WAIT_MAX_MS }));
}
