/** How the server is. It is loaded once the page has nothing more urgent to do: nobody waits for it. */
import { type ComponentType, useEffect, useState } from 'react';
import classes from './Health.module.css';

const IDLE_WAIT_MAX_MS = 2_000;
const RETRY_MS = 5_000;

type Props = { version: string };
type Loaded = { Face: ComponentType<Props> };

export function Health({ version }: Props) {
  const loaded = useLoaded();
  if (loaded === null) return <span className={classes.opener} aria-hidden />;
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

function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Not every browser has it, whatever the types say.
    if ('requestIdleCallback' in window) {
      requestIdleCallback(() => resolve(), { timeout: IDLE_WAIT_MAX_MS });
    } else {
      setTimeout(resolve, IDLE_WAIT_MAX_MS);
    }
  });
}
