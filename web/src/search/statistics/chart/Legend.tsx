/** What the colours of a chart mean; a click switches a series off and on. */
import type { Series, Tone } from '../pivot';
import { colorOf, dashOf } from './palette';
import classes from './Chart.module.css';

type Props = {
  series: readonly Series[];
  hidden: ReadonlySet<string>;
  isLines: boolean;
  onChange: (hidden: ReadonlySet<string>) => void;
};

export function Legend({ series, hidden, isLines, onChange }: Props) {
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    // With all of them off there would be nothing to switch on by sight.
    onChange(next.size === series.length ? new Set() : next);
  };
  return (
    <ul className={classes.legend} aria-label="Series">
      {series.map(({ name, tone }) => (
        <li key={name}>
          <button
            type="button"
            className={classes.entry}
            aria-pressed={!hidden.has(name)}
            title={name}
            onClick={() => toggle(name)}
          >
            <Swatch tone={tone} isLine={isLines} />
            <span className={classes.entryName}>{name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function Swatch({ tone, isLine }: { tone: Tone; isLine: boolean }) {
  return (
    <svg className={classes.swatch} width={isLine ? 20 : 12} height={12} aria-hidden>
      {isLine ? (
        <line
          y1={6}
          y2={6}
          x2={20}
          stroke={colorOf(tone)}
          strokeWidth={2}
          strokeDasharray={dashOf(tone)}
        />
      ) : (
        <rect y={1} width={10} height={10} rx={2} fill={colorOf(tone)} />
      )}
    </svg>
  );
}
