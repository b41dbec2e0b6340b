/** The colours and dashes of series. The colours differ in brightness too, for those who see fewer hues. */
import type { Tone } from '../pivot';

export const seriesTokens = [
  '--series-1',
  '--series-2',
  '--series-3',
  '--series-4',
  '--series-5',
  '--series-6',
  '--series-7',
] as const;

/** Lines are told apart by their dashes as well; the first one is whole. */
const dashes = ['none', '6 3', '2 3', '10 3 2 3', '4 2 1 2', '12 4', '1 4'];

export function colorOf(tone: Tone): string {
  switch (tone.kind) {
    case 'series':
      return `var(${seriesTokens[tone.index % seriesTokens.length] ?? '--series-1'})`;
    case 'severity':
      return severityColor(severityTone(tone.name));
    case 'other':
      return 'var(--series-other)';
  }
}

export function dashOf(tone: Tone): string {
  switch (tone.kind) {
    case 'series':
      return dashes[tone.index % dashes.length] ?? 'none';
    case 'severity':
      return ['info', 'debug'].includes(severityTone(tone.name)) ? '6 3' : 'none';
    case 'other':
      return '2 2';
  }
}

/** As the bars of the timeline, so that a severity looks the same in both. */
function severityColor(tone: string): string {
  return `var(--bar-${tone}, var(--severity-${tone}))`;
}

function severityTone(name: string): string {
  switch (name) {
    case 'emerg':
    case 'alert':
    case 'crit':
      return 'critical';
    case 'err':
      return 'error';
    case 'warning':
    case 'notice':
    case 'info':
    case 'debug':
      return name;
    default:
      return 'debug';
  }
}
