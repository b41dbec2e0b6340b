import { describe, expect, test } from 'vitest';
import { tokens } from './theme';

const texts = [
  '--mantine-color-text',
  '--mantine-color-dimmed',
  '--mantine-color-placeholder',
  '--mantine-color-error',
  '--accent',
  '--good',
  '--caution',
  '--bad',
  '--severity-critical',
  '--severity-error',
  '--severity-warning',
  '--severity-notice',
  '--severity-info',
  '--severity-debug',
  '--query-field',
  '--query-sign',
  '--query-quoted',
  '--query-pattern',
  '--query-number',
  '--query-keyword',
] as const;
const backs = ['--mantine-color-body', '--panel', '--hover', '--open'] as const;

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  test.each(texts)('%s can be read on every background (AA)', (text) => {
    for (const back of backs) {
      expect(contrast(color(scheme, text), color(scheme, back)), back).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('cautions and failures can be read on their own backgrounds', () => {
    for (const [text, back] of [
      ['--caution', '--caution-back'],
      ['--bad', '--bad-back'],
      ['--mantine-color-text', '--hit'],
      ['--mantine-color-text', '--hit-1'],
      ['--mantine-color-text', '--hit-2'],
      ['--mantine-color-text', '--hit-3'],
      ['--mantine-color-text', '--hit-4'],
      ['--panel', '--severity-critical'],
      ['--panel', '--severity-error'],
      ['--mantine-color-text', '--added-back'],
      ['--mantine-color-text', '--value-bar'],
    ] as const) {
      expect(contrast(color(scheme, text), color(scheme, back)), text).toBeGreaterThanOrEqual(4.5);
    }
  });
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
