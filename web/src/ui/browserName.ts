/**
 * The name of a browser or program, according to its user agent. It is a hint for users, who know
 * what they use.
 */

const BROWSERS: readonly [RegExp, string][] = [
  // The order matters, because most browsers claim to be several of these.
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const CHARS_MAX = 60;

export function browserName(agent: string | null): string {
  if (agent === null || agent.trim() === '') return 'Unknown program';
  const find = (names: readonly [RegExp, string][]) =>
    names.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser === undefined) return agent.slice(0, CHARS_MAX);
  return system === undefined ? browser : `${browser} on ${system}`;
}
