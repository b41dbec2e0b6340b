import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CodeGone, fetched } from './code';

let isUp = true;

beforeEach(() => {
  vi.useFakeTimers();
  isUp = true;
  vi.stubGlobal('fetch', () =>
    isUp ? Promise.resolve(new Response('ok')) : Promise.reject(new TypeError('Failed to fetch')),
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a part is waited for while the server is away', async () => {
  isUp = false;
  let tries = 0;
  const load = () => {
    tries += 1;
    return isUp ? Promise.resolve('the part') : Promise.reject(new TypeError('Failed to fetch'));
  };
  const part = fetched(load);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBeGreaterThan(10);
  isUp = true;
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(part).resolves.toBe('the part');
});

test('a part that the server does not have is not waited for', async () => {
  const part = fetched(() => Promise.reject(new TypeError('Failed to fetch')));
  const gone = expect(part).rejects.toBeInstanceOf(CodeGone);
  await vi.advanceTimersByTimeAsync(10_000);
  await gone;
});

test('styles that could not be had are asked for again', async () => {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = '/assets/page.css';
  let tries = 0;
  const load = () => {
    tries += 1;
    if (tries > 1) return Promise.resolve('the part');
    document.head.append(link);
    link.dispatchEvent(new Event('error'));
    return Promise.reject(new Error('Unable to preload CSS'));
  };
  const part = fetched(load);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(link.isConnected).toBe(false);
  const again = document.querySelector<HTMLLinkElement>('link[href="/assets/page.css"]');
  again?.dispatchEvent(new Event('load'));
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(part).resolves.toBe('the part');
});
