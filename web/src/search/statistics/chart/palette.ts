/**
 * The colours of series: one quiet family. They also differ in brightness, for users who see fewer
 * hues.
 */
import type { Tone } from '../pivot';

export const seriesTokens = ['--q1', '--q2', '--q3', '--q4', '--q5'] as const;

export function colorOf(tone: Tone): string {
  switch (tone.kind) {
    case 'series':
      return `var(${seriesTokens[tone.index % seriesTokens.length] ?? '--q1'})`;
    case 'severity':
      return severityColor(severityTone(tone.name));
    case 'other':
      return 'var(--q6)';
  }
}

/** The colours are those of the timeline's bars, so that a severity looks the same in both. */
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
