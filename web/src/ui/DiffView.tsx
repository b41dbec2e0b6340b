/** A unified diff with one row per line: added and removed lines differ by sign and by colour. */
import classes from './DiffView.module.css';

export function DiffView({ text, label }: { text: string; label: string }) {
  const lines = text.split('\n').filter((line) => !isHeader(line));
  if (lines.every((line) => line === '')) return <p className="dimmed">No line differs.</p>;
  return (
    <pre className={classes.diff} aria-label={label} role="region" tabIndex={0}>
      {lines.map((line, at) => (
        <span key={at} className={classes.line} data-kind={kindOf(line)}>
          {line === '' ? ' ' : line}
        </span>
      ))}
    </pre>
  );
}

function isHeader(line: string): boolean {
  return /^(---|\+\+\+|===|Index:|\\ No newline)/.test(line);
}

function kindOf(line: string): 'added' | 'removed' | 'hunk' | 'same' {
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return 'same';
}
