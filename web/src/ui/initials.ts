/**
 * Two letters that stand for a name: the initials of its first two parts, or the first two letters
 * of its only part.
 */
export function initialsOf(name: string): string {
  const parts = name.split(/[\s._@-]+/u).filter((part) => part !== '');
  const [first = '', second] = parts;
  const letters =
    second === undefined ? Array.from(first).slice(0, 2) : [first, second].map(firstOf);
  return letters.join('').toUpperCase();
}

function firstOf(part: string): string {
  return Array.from(part)[0] ?? '';
}
