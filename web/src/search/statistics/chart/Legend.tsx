/** The legend of a chart's colours; the entry under the pointer is highlighted. */
import type { Series, Tone } from '../pivot';
import { colorOf } from './palette';
import classes from './Chart.module.css';

type Props = { series: readonly Series[]; onIsolate: (name: string | null) => void };

export function Legend({ series, onIsolate }: Props) {
  return (
    <ul className={classes.legend} aria-label="Series" onPointerLeave={() => onIsolate(null)}>
      {series.map(({ name, tone }) => (
        <li
          key={name}
          title={name}
          className={classes.entry}
          onPointerEnter={() => onIsolate(name)}
        >
          <Swatch tone={tone} />
          <span className="truncate">{name}</span>
        </li>
      ))}
    </ul>
  );
}

export function Swatch({ tone }: { tone: Tone }) {
  return <span className={classes.swatch} style={{ background: colorOf(tone) }} aria-hidden />;
}
