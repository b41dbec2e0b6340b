/** Text of strangers, made harmless to look at: nothing in it steers the screen, and all of it can be seen. */
/** The length of a message's text in its row; the details have the rest. */
export const ROW_CHARACTERS_MAX = 1_000;

/** Control characters, and those that turn the direction of writing around or cannot be seen. */
const UNSEEN = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Joiners within emoji and within words of scripts that are written with them change how their neighbours look, and so
 * are seen. Between other letters they hide.
 */
const BEFORE_JOINER = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|\p{L}|\p{M}/u;
const AFTER_JOINER = /\p{Extended_Pictographic}|\p{L}/u;
const NEEDS_NO_JOINERS = /\p{sc=Latin}|\p{sc=Greek}|\p{sc=Cyrillic}/u;
const NON_JOINER = 0x200c;
const JOINER = 0x200d;

const NEWLINE = '\n';
const DELETE = 0x7f;
const PICTURES = 0x2400;

/** With `lines`, the ends of lines are shown and still end them. */
export function visible(text: string, lines = false): string {
  return text.replaceAll(UNSEEN, (character, at: number) => {
    if (character === NEWLINE) return lines ? '⏎\n' : '⏎';
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(PICTURES + code);
    if (code === DELETE) return '␡';
    if ((code === JOINER || code === NON_JOINER) && joins(text, at)) return character;
    return `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** The beginning of a text, never half of a character, and how much was left out. */
export function cut(text: string, charactersMax: number): { text: string; left: number } {
  if (text.length <= charactersMax) return { text, left: 0 };
  const last = text.charCodeAt(charactersMax - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? charactersMax - 1 : charactersMax;
  return { text: text.slice(0, end), left: text.length - end };
}

function joins(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(at - 2, 0), at)).at(-1) ?? '';
  const [after = ''] = Array.from(text.slice(at + 1, at + 3));
  const isJoined = BEFORE_JOINER.test(before) && AFTER_JOINER.test(after);
  return isJoined && !NEEDS_NO_JOINERS.test(before + after);
}

/** Sequences that set colours, move the cursor or name the window. Bounded: each ends soon or is none. */
// eslint-disable-next-line no-control-regex
const ANSI = /\u001b(?:\[[0-9;?]{0,64}[A-Za-z]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\))/gu;

/** Colours of a terminal in a text: taken out where it is read, and left where its bytes are looked at. */
export function withoutAnsi(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(ANSI, '') : text;
}
