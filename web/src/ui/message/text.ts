/**
 * Makes text from untrusted senders harmless to display: nothing in it affects the display, and all
 * of it is visible.
 */
/** The maximum length of a message's text in its row; the details show the rest. */
export const ROW_CHARACTERS_MAX = 1_000;

/** Control characters, and those that reverse the direction of writing or are invisible. */
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

/** With `lines`, line ends are shown and still end lines. */
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

/** The beginning of a text, which never ends within a character, and the length of the rest. */
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

/**
 * Sequences that set colours, move the cursor or name the window. The pattern is bounded: each
 * sequence must end soon.
 */
// eslint-disable-next-line no-control-regex
const ANSI = /\u001b(?:\[[0-9;?]{0,64}[A-Za-z]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\))/gu;

/** Removes terminal colours from a text that is read; they are kept if its bytes are viewed. */
export function withoutAnsi(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(ANSI, '') : text;
}
