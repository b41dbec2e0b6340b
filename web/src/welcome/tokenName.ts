/** What the token is called that this page makes: as the server allows, and another one each second. */
export function tokenName(now: Date): string {
  return `set-up-${now.toISOString().slice(0, 19).replaceAll(':', '.').toLowerCase()}`;
}
