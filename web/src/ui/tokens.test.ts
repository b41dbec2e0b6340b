import { describe, expect, test } from 'vitest';
import { aliases, tokens } from './tokens';

const texts = [
  '--ink',
  '--ink-2',
  '--ink-3',
  '--accent',
  '--crit',
  '--err',
  '--warn',
  '--notice',
  '--info',
  '--debug',
  '--good',
  '--v-num',
  '--v-ip',
  '--v-name',
  '--v-path',
  '--v-id',
  '--query-quoted',
  '--query-pattern',
] as const;
const backs = ['--bg', '--surface', '--sunken', '--hover', '--open'] as const;

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  test.each(texts)('%s can be read on every background (AA)', (text) => {
    for (const back of backs) {
      expect(contrast(color(scheme, text), color(scheme, back)), back).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each([
    ['--crit', '--crit-soft'],
    ['--err', '--err-soft'],
    ['--warn', '--warn-soft'],
    ['--notice', '--notice-soft'],
    ['--good', '--good-soft'],
    ['--accent', '--accent-soft'],
    ['--ink-2', '--accent-soft'],
    ['--ink', '--fill'],
    ['--ink', '--fill-hi'],
    ['--ink', '--hit'],
    ['--ink', '--hit-1'],
    ['--ink', '--hit-2'],
    ['--ink', '--hit-3'],
    ['--ink', '--hit-4'],
    ['--on-accent', '--accent-solid'],
    ['--surface', '--crit'],
    ['--surface', '--err'],
  ] as const)('%s can be read on %s (AA)', (text, back) => {
    expect(contrast(color(scheme, text), color(scheme, back))).toBeGreaterThanOrEqual(4.5);
  });

  test('what can be used has a border that is seen', () => {
    expect(contrast(color(scheme, '--ctl'), color(scheme, '--surface'))).toBeGreaterThanOrEqual(3);
  });
});

test('both themes have the same colours, and every other name is one of them', () => {
  expect(Object.keys(tokens.dark)).toEqual(Object.keys(tokens.light));
  for (const name of Object.values(aliases)) expect(tokens.light).toHaveProperty([name]);
});

function color(scheme: 'light' | 'dark', name: `--${string}`): string {
  const value = tokens[scheme][name];
  if (value === undefined) throw new Error(`${name} is not a token`);
  return value;
}

/** WCAG 2 contrast ratio of two `#rrggbb` colours. */
function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
