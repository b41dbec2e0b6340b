import { expect, test } from 'vitest';
import { aboutStep, fieldsOf, kindOf, stepKinds, stepsOf, whereField } from './steps';
import { readFrom, withSetting, writtenIn } from './stepText';

test('a new step of each kind is read as that kind', () => {
  for (const { kind, initial } of stepKinds) expect(kindOf(initial)).toBe(kind);
  expect(kindOf({ teleport: true })).toBe('');
});

test('what a form writes is what it read', () => {
  for (const { initial, fields } of stepKinds) {
    for (const field of fields) {
      const value = initial[field.key];
      if (value !== undefined) expect(readFrom(field, writtenIn(field, value))).toEqual(value);
    }
  }
  const pairs = { key: 'set', label: '', kind: 'pairs' } as const;
  const value = { zone: 'dmz', url: 'a=b', empty: '' };
  expect(readFrom(pairs, writtenIn(pairs, value))).toEqual(value);
  expect(readFrom({ ...pairs, kind: 'list' }, 'a, ,b ')).toEqual(['a', 'b']);
  expect(readFrom({ ...pairs, kind: 'number' }, '0.5')).toBe(0.5);
  expect(readFrom({ ...pairs, kind: 'number' }, 'half')).toBe('half');
});

test('an empty setting leaves the step, a needed one stays', () => {
  const step = { drop: 'x', where: 'y' };
  expect(withSetting(step, whereField, '', false)).toEqual({ drop: 'x' });
  const own = { key: 'drop', label: '', kind: 'text' } as const;
  expect(withSetting(step, own, '', true)).toEqual({ drop: '', where: 'y' });
});

test('a pattern is asked for only where there is one', () => {
  const keys = (parse: string) => fieldsOf({ parse }).map(({ key }) => key);
  expect(keys('json')).toEqual(['parse', 'field', 'prefix', 'where']);
  expect(keys('regex')).toContain('pattern');
});

test('a step in a few words', () => {
  expect(aboutStep({ parse: 'json' })).toBe('json');
  expect(aboutStep({ dedup: ['host', 'message'], within: '10s' })).toBe('host, message within 10s');
  expect(aboutStep({ set: { owner: '{team}' } })).toBe('owner = {team}');
  expect(aboutStep({ lookup: 'assets.csv', key: 'host', set: ['owner'] })).toBe('assets.csv');
});

test('what is not a list of steps is none', () => {
  expect(stepsOf({ steps: 'none' })).toEqual([]);
});
