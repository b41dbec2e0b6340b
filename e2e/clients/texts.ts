/**
 * The messages that every client sends: 10 000 texts with all that can go wrong on the way between a logger and a store.
 *
 * All but the empty ones begin with their number, so a missing or a changed one can be named.
 */

export const SENT = 10_000;
/** One message in this many is empty, and one is huge. */
const RARE = 500;
const HUGE = 200_000;

const odd = [
  'plain words',
  'quote " and apostrophe \' and backtick `',
  'backslash \\ \\n \\u0041 \\',
  'tab\there',
  'two\nlines',
  'line end\r\nof another system',
  'ends with a line feed\n',
  'ends with a space ',
  'ümläut ß € 中文 עברית',
  'emoji 😀 👩‍👩‍👧 🇪🇺',
  'combining e\u0301 o\u0308\u0323',
  'right to left \u202eabc',
  'line separator \u2028 and next line \u0085',
  'byte order mark \ufeff',
  'noncharacter \uffff and the last one \u{10ffff}',
  'escape \u001b[31mred\u001b[0m bell \u0007 delete \u007f',
  'null \0 inside',
  '{"json": [1, "two", {"message": "inner"}]}',
  '<b>&amp;</b> <![CDATA[x]]>',
  'key=value other="a b" %s %d %n {} ${jndi:x}',
];

export const texts: readonly string[] = Array.from({ length: SENT }, (_, number) => {
  if (number % RARE === 7) return '';
  const text = `${number} ${odd[number % odd.length] ?? ''}`;
  return number % RARE === 11 ? `${text} ${'x'.repeat(HUGE)}` : text;
});

/** How often each text occurs. */
export function counted(found: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of found) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
