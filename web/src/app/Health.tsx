/** How the server is. It is loaded once the page has nothing more urgent to do: nobody waits for it. */
import { Suspense, lazy } from 'react';
import classes from './Health.module.css';

const IDLE_WAIT_MAX_MS = 2_000;

const HealthFace = lazy(async () => {
  await idle();
  return { default: (await import('./HealthFace')).HealthFace };
});

export function Health({ version }: { version: string }) {
  return (
    <Suspense fallback={<span className={classes.opener} aria-hidden />}>
      <HealthFace version={version} />
    </Suspense>
  );
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
