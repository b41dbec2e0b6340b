import { expect, test } from 'vitest';
import type { Setting } from '../../api/status';
import { originText, shownSettings } from './settings';

function setting(key: string, part: Partial<Setting> = {}): Setting {
  return { key, value: '1', default: '1', origin: 'default', place: '', about: '', ...part };
}

const all = [
  setting('web.listen', { about: 'Where the console listens.' }),
  setting('log.level', { value: 'debug', origin: 'environment', place: 'LOGSTEAD_LOG__LEVEL' }),
  setting('data', { value: '/srv/logs', origin: 'file', place: 'line 3' }),
];
const keys = (find: string, changed = false) =>
  shownSettings(all, find, changed).map(({ key }) => key);

test('all are shown, or those that a layer changed', () => {
  expect(keys('')).toEqual(['web.listen', 'log.level', 'data']);
  expect(keys('', true)).toEqual(['log.level', 'data']);
});

test('every word is looked for in name, value, meaning and place', () => {
  expect(keys('console')).toEqual(['web.listen']);
  expect(keys('LEVEL debug')).toEqual(['log.level']);
  expect(keys('srv line')).toEqual(['data']);
  expect(keys('console debug')).toEqual([]);
});

test('it is said where one is from', () => {
  expect(all.map(originText)).toEqual([
    'as shipped',
    'LOGSTEAD_LOG__LEVEL',
    'settings file, line 3',
  ]);
});
