import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { healthQuery } from './status';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function ask() {
  return new QueryClient({ defaultOptions: { queries: { retry: false } } }).query(healthQuery);
}

/** A server that accepts connections and sends nothing, until nobody waits any more. */
function silent(_: string, { signal }: { signal: AbortSignal }): Promise<Response> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('gave up', 'AbortError')));
  });
}

test('a server that accepts and never answers is silent after seconds', async () => {
  vi.useFakeTimers();
  // Timers of abort signals are not faked by the test framework.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const patience = new AbortController();
    setTimeout(() => patience.abort(new DOMException('late', 'TimeoutError')), ms);
    return patience.signal;
  });
  vi.stubGlobal('fetch', silent);
  const settled = vi.fn<(health: unknown) => void>();
  void ask().then(settled, settled);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(settled).toHaveBeenCalledWith(
    expect.objectContaining({ state: 'unreachable', why: 'silent' }),
  );
});

test('one that cannot be reached is away, and one that is not ready says why', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no server')));
  expect(await ask()).toMatchObject({ state: 'unreachable', why: 'away' });
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response('the disk is full\n', { status: 503 })),
  );
  expect(await ask()).toEqual({ state: 'not-ready', reasons: 'the disk is full' });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('bad gateway', { status: 502 })));
  expect(await ask()).toMatchObject({ state: 'unreachable', why: 'away' });
});
