/** The strength of a password in a word. It is a hint for the user; the server decides. */

export const PASSWORD_CHARS_MIN = 8;

export type Strength = { level: 0 | 1 | 2 | 3 | 4; word: string };

const COMMON =
  /^(password|passwort|qwert|asdf|admin|letmein|welcome|logstead|changeme|secret|12345)/i;

/**
 * The strength by the number of attempts that guessing needs: the length, the kinds of characters,
 * and the repetitions.
 */
export function strengthOf(password: string, name: string): Strength {
  if (password === '') return { level: 0, word: '' };
  if (Array.from(password).length < PASSWORD_CHARS_MIN) return { level: 0, word: 'too short' };
  const holdsName = name.length > 2 && password.toLowerCase().includes(name.toLowerCase());
  if (COMMON.test(password) || holdsName) return { level: 1, word: 'easy to guess' };
  const bits = bitsOf(password);
  if (bits < 36) return { level: 1, word: 'weak' };
  if (bits < 55) return { level: 2, word: 'fair' };
  if (bits < 75) return { level: 3, word: 'good' };
  return { level: 4, word: 'strong' };
}

function bitsOf(password: string): number {
  const kinds: readonly [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^a-zA-Z\d]/, 33],
  ];
  const alphabet = kinds.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0);
  const characters = Array.from(password);
  const distinct = new Set(characters).size;
  // A sequence or a repetition adds little: `aaaaaaaa` does not count as eight letters.
  const steps = characters.filter((character, at) => !follows(characters[at - 1], character));
  return Math.min(steps.length, 2 * distinct) * Math.log2(alphabet);
}

/** Whether a character repeats the one before, or continues a sequence: `aa`, `ab`, `21`. */
function follows(before: string | undefined, character: string): boolean {
  if (before === undefined) return false;
  return Math.abs((before.codePointAt(0) ?? 0) - (character.codePointAt(0) ?? 0)) <= 1;
}
