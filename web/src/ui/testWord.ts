/**
 * A word that no other message contains. It is kept, so that the page still waits for the same
 * message after a reload.
 */

const KEY = 'logstead-test-word';
const WORD_CHARS = 6;

export function testWord(): string {
  const kept = localStorage.getItem(KEY);
  if (kept !== null && /^test-[a-z0-9]+$/.test(kept)) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(WORD_CHARS));
  const word = `test-${[...bytes].map((byte) => (byte % 36).toString(36)).join('')}`;
  localStorage.setItem(KEY, word);
  return word;
}
