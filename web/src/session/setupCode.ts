/**
 * The setup code in the form that the server prints, however it was entered: from a link, by hand,
 * by mail.
 */

/** The code is printed in groups of four. */
const GROUP = /.{4}(?=.)/g;

export function codeIn(text: string): string {
  const signs = text.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return signs.replace(GROUP, '$&-');
}
