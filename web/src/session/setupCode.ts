/** The setup code as the server prints it, whatever somebody made of it on the way: from a link, by hand, by mail. */

/** It is printed in groups of four. */
const GROUP = /.{4}(?=.)/g;

export function codeIn(text: string): string {
  const signs = text.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return signs.replace(GROUP, '$&-');
}
