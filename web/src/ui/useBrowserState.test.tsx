import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useBrowserState } from './useBrowserState';

const KEY = 'kept';

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

function draw(key = KEY) {
  return renderHook(() => useBrowserState<readonly string[]>({ key, defaultValue: [] })).result;
}

test('what was chosen is there at first, and nothing is written before something is', () => {
  localStorage.setItem(KEY, '["a"]');
  expect(draw().current[0]).toEqual(['a']);
  expect(draw('other').current[0]).toEqual([]);
  expect(localStorage.getItem('other')).toBeNull();
});

test('a choice shows wherever it is used, and stays', () => {
  const [here, there] = [draw(), draw()];
  act(() => here.current[1](['a']));
  act(() => there.current[1]((before) => [...before, 'b']));
  expect([here.current[0], there.current[0]]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(localStorage.getItem(KEY)).toBe('["a","b"]');
});

test('another tab is heard', () => {
  const here = draw();
  localStorage.setItem(KEY, '["a"]');
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: KEY })));
  expect(here.current[0]).toEqual(['a']);
});

test('what is not readable is the default, and the same value from drawing to drawing', () => {
  localStorage.setItem(KEY, '[');
  const { result, rerender } = renderHook(() =>
    useBrowserState<readonly string[]>({ key: KEY, defaultValue: [] }),
  );
  const [before] = result.current;
  rerender();
  expect(result.current[0]).toBe(before);
  expect(before).toEqual([]);
});

test('what the browser does not keep holds until the page is closed', () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new Error('full');
  });
  const [here, there] = [draw('full'), draw('full')];
  act(() => here.current[1](['a']));
  expect(there.current[0]).toEqual(['a']);
});
