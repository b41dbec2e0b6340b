import { afterEach, expect, it } from 'vitest';
import { applyPreferences, isSame, readPreferences } from './preferences';

afterEach(() => localStorage.clear());

it('takes over what was kept, tells those who use it, and leaves the rest alone', () => {
  localStorage.setItem('logstead-zone', '"local"');
  localStorage.setItem('logstead-history', '["mine"]');
  const told: (string | null)[] = [];
  const listen = ({ key }: StorageEvent) => told.push(key);
  window.addEventListener('storage', listen);
  const kept = {
    'logstead-zone': '"utc"',
    'logstead-density': '"small"',
    'logstead-history': '[]',
  };
  applyPreferences(kept, localStorage);
  applyPreferences(kept, localStorage);
  window.removeEventListener('storage', listen);
  expect(told).toEqual(['logstead-zone', 'logstead-density']);
  expect(localStorage.getItem('logstead-history')).toBe('["mine"]');
  expect(readPreferences(localStorage)).toEqual({
    'logstead-zone': '"utc"',
    'logstead-density': '"small"',
  });
});

it('sees a change, and leaves out what is too long to be a choice', () => {
  const before = readPreferences(localStorage);
  localStorage.setItem('logstead-pinned-fields', JSON.stringify(['x'.repeat(2000)]));
  expect(isSame(before, readPreferences(localStorage))).toBe(true);
  localStorage.setItem('mantine-color-scheme-value', 'dark');
  expect(isSame(before, readPreferences(localStorage))).toBe(false);
});
