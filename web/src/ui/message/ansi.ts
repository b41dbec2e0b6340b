/** Colours of a terminal in a text: taken out where it is read, and left where its bytes are looked at. */

/** Sequences that set colours, move the cursor or name the window. Bounded: each ends soon or is none. */
// eslint-disable-next-line no-control-regex
const ANSI = /\u001b(?:\[[0-9;?]{0,64}[A-Za-z]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\))/gu;

export function withoutAnsi(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(ANSI, '') : text;
}
