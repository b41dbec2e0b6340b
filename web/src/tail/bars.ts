/**
 * The bars of the last minutes as paths with one unit per second, so that a chart has only a few
 * elements.
 */
import { type Second, type Tone, tones } from './rates';

export type Bars = {
  paths: readonly { tone: Tone; path: string }[];
  /** The seconds without a connection. */
  unwatched: string;
  /** The value that corresponds to the full height; at least 1. */
  max: number;
};

/** The worst severities are at the bottom, where they can be compared. */
export function barsOf(seconds: readonly Second[], heightPx: number): Bars {
  const max = Math.max(1, ...seconds.map(({ total }) => total));
  const paths = tones.map((): string[] => []);
  const unwatched: string[] = [];
  seconds.forEach(({ counts, total, watched }, x) => {
    if (!watched && total === 0) unwatched.push(`M${x} 0h1v${heightPx}h-1z`);
    let y = heightPx;
    counts.forEach((count, tone) => {
      if (count === 0) return;
      const height = Math.max(1, (count / max) * heightPx);
      y -= height;
      paths[tone]?.push(`M${x} ${round(y)}h1v${round(height)}h-1z`);
    });
  });
  return {
    paths: tones.flatMap((tone, at) => {
      const path = paths[at]?.join('') ?? '';
      return path === '' ? [] : [{ tone, path }];
    }),
    unwatched: unwatched.join(''),
    max,
  };
}

/** `82 matches: 3 error, 79 info` */
export function secondText({ total, counts }: Second): string {
  const parts = tones.flatMap((tone, at) => {
    const count = counts[at] ?? 0;
    return count === 0 ? [] : [`${count} ${tone === 'none' ? 'without severity' : tone}`];
  });
  const what = total === 1 ? '1 match' : `${total} matches`;
  return parts.length === 0 ? what : `${what}: ${parts.join(', ')}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
