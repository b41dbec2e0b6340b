/**
 * The location of the console on its host: at the root, or below a path that a reverse proxy gives it
 * (`web.public_url`).
 */

/**
 * The path with which all addresses begin: empty, or for example `/logs`. The server writes it into
 * the page.
 */
export const base =
  typeof document === 'undefined' // in tests of what needs no page
    ? ''
    : (document.querySelector<HTMLMetaElement>('meta[name="base"]')?.content ?? '');

/** An address of the console or its API in the form in which the browser has to request it. */
export function under(path: string): string {
  return base + path;
}

/**
 * The address at which programs find this server, such as `https://logs.example.org`, or
 * `https://intra.example.org/logs`.
 */
export function serverUrl(): string {
  return window.location.origin + base;
}

/** The same address relative to the console, which begins at the root. */
export function withoutBase(path: string): string {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
