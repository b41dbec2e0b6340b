import { expect, test } from 'vitest';
import { strengthOf } from './password';

test('a password is judged by how long guessing it takes', () => {
  const check = (password: string, word: string) =>
    expect(strengthOf(password, 'admin').word, password).toBe(word);
  check('', '');
  check('short1!', 'too short');
  check('aaaaaaaaaaaa', 'weak');
  check('12345678', 'easy to guess');
  check('abcdefghijkl', 'weak');
  check('my-admin-word', 'easy to guess');
  check('horsebat', 'weak');
  check('kR7w.Tzq', 'fair');
  check('kR7w.Tzq2p', 'good');
  check('correct horse battery staple', 'strong');
});
