import { expect, test } from 'vitest';
import { proseParts } from './prose';

const marked = (text: string) =>
  proseParts(text)
    .map((part) => (part.isCode ? `<${part.text}>` : part.text))
    .join('');

test('a sentence begins with a capital, and names are set apart', () => {
  expect(marked('there is no logspace `x`: there are a, b')).toBe(
    'There is no logspace <x>: there are a, b',
  );
  expect(marked('`wrong` is not a severity')).toBe('<wrong> is not a severity');
  expect(marked('élan is missing')).toBe('Élan is missing');
});

test('a name at the beginning keeps its letters', () => {
  expect(marked('web.listen: the address is in use')).toBe('web.listen: the address is in use');
  expect(marked('queue_max is too small')).toBe('queue_max is too small');
});

test('nothing is lost where backticks have no partner', () => {
  expect(marked('')).toBe('');
  expect(marked('`')).toBe('`');
  expect(marked('a ` b')).toBe('A ` b');
  expect(marked('`a` and ` b')).toBe('<a> and ` b');
  expect(marked('``')).toBe('');
});
