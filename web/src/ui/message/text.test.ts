import { expect, test } from 'vitest';
import { cut, visible } from './text';

test('control characters are shown and do nothing', () => {
  for (const [text, shown] of [
    ['plain text', 'plain text'],
    ['a\u0000b', 'a␀b'],
    ['\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
    ['one\r\ntwo', 'one␍⏎two'],
    ['a\tb', 'a\tb'],
    ['\u007f\u0085', '␡⟨0085⟩'],
    ['abc\u202etxt.exe', 'abc⟨202E⟩txt.exe'],
    ['zero\u200bwidth', 'zero⟨200B⟩width'],
    ['größe 🙂', 'größe 🙂'],
    ['👩‍💻 👨🏽‍🚀 ❤️‍🔥', '👩‍💻 👨🏽‍🚀 ❤️‍🔥'],
    ['می\u200cخواهم क्\u200dष', 'می\u200cخواهم क्\u200dष'],
    ['ad\u200dmin \u200d', 'ad⟨200D⟩min ⟨200D⟩'],
  ] as const) {
    expect(visible(text)).toBe(shown);
  }
});

test('where lines are wanted, their ends are shown and end them', () => {
  expect(visible('one\ntwo', true)).toBe('one⏎\ntwo');
});

test('a text is cut between characters and says how much is missing', () => {
  expect(cut('short', 10)).toEqual({ text: 'short', left: 0 });
  expect(cut('longer text', 6)).toEqual({ text: 'longer', left: 5 });
  expect(cut('ab🙂cd', 3)).toEqual({ text: 'ab', left: 4 });
});
