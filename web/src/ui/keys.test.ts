import { expect, test } from 'vitest';
import { type Binding, capsOf, findBinding, namesOf } from './keys';

const plain = { ctrl: false, meta: false, alt: false, altGraph: false };

test('a press is called as bindings write it', () => {
  const check = (press: Partial<typeof plain> & { key: string }, ...names: string[]) =>
    expect(namesOf({ ...plain, ...press })).toEqual(names);
  check({ key: 'g' }, 'g');
  check({ key: 'D' }, 'D');
  check({ key: ' ' }, 'Space');
  check({ key: 'k', ctrl: true }, 'Ctrl-k', 'Mod-k');
  check({ key: 'k', meta: true }, 'Mod-k');
  check({ key: 'ArrowUp', alt: true }, 'Alt-ArrowUp');
});

test('a key that needs AltGr or Option to be written is the key that is written', () => {
  expect(namesOf({ ...plain, key: '[', ctrl: true, alt: true, altGraph: true })).toEqual(['[']);
  expect(namesOf({ ...plain, key: '[', alt: true })).toEqual(['[']);
});

const bound = (keys: string, does = keys): Binding => ({
  keys,
  does,
  group: '',
  run: () => undefined,
});

test('a sequence goes before a single key, and the newest binding before older ones', () => {
  const bindings = [bound('t', 'range'), bound('g t', 'tail'), bound('t', 'newer'), bound('Mod-k')];
  const check = (previous: string, names: string[], does: string | undefined) =>
    expect(findBinding(bindings, previous, names)?.does).toBe(does);
  check('', ['t'], 'newer');
  check('g', ['t'], 'tail');
  check('x', ['t'], 'newer');
  check('', ['Ctrl-k', 'Mod-k'], 'Mod-k');
  check('', ['q'], undefined);
});

test('what is only listed is never run', () => {
  expect(findBinding([{ ...bound('Enter'), run: null }], '', ['Enter'])).toBeUndefined();
});

test('keys are shown as they are on the keyboard', () => {
  const check = (keys: string, caps: string[][], isMac = false) =>
    expect(capsOf(keys, isMac)).toEqual(caps);
  check('g s', [['g'], ['s']]);
  check('D', [['Shift', 'D']]);
  check('Mod-k', [['Ctrl', 'K']]);
  check('Mod-k', [['⌘', 'K']], true);
  check('Mod-Z', [['Ctrl', 'Shift', 'Z']]);
  check('Mod-Z', [['⌘', 'Shift', 'Z']], true);
  check('Shift-Enter', [['Shift', 'Enter']]);
  check('Escape', [['Esc']]);
  check('-', [['-']]);
  check('[', [['[']]);
});
