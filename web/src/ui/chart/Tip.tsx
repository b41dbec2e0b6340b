/** The counts of the bar under the pointer, or of the span that is marked. */
import { formatCount } from '../number';
import { type BarsView, eventText, eventsIn, spanText, sumOf } from './view';
import classes from './Bars.module.css';

const TIP_PX = 232;

type Props = BarsView & { at: number; span: { first: number; last: number }; width: number };

export function Tip(props: Props) {
  const { stack, zone, silent, before, events, at, width } = props;
  const { first, last } = props.span;
  const middle = ((at + 0.5) / stack.times.length) * width;
  // Next to its bar, never over it.
  const left = middle + 12 + TIP_PX > width ? middle - 12 - TIP_PX : middle + 12;
  const isSilent = first === last && silent[at] === true;
  const parts = stack.layers
    .map(({ label, color, counts }) => ({ label, color, count: sumOf(counts, first, last) }))
    .filter(({ count }) => count > 0 && stack.layers.length > 1);
  return (
    <div className={classes.tip} style={{ left: Math.max(left, 0), width: TIP_PX }} aria-hidden>
      <div className="dimmed">{spanText(stack, first, last, zone)}</div>
      <div className="flex spread gap12">
        <strong>{isSilent ? 'Nothing was received' : 'Messages'}</strong>
        <strong>{formatCount(sumOf(stack.totals, first, last))}</strong>
      </div>
      {parts.toReversed().map(({ label, color, count }) => (
        <div key={label} className="flex spread gap12">
          <span className="row gap8 minWidth0 truncate">
            <span className={classes.swatch} style={{ background: color }} />
            {label}
          </span>
          <span>{formatCount(count)}</span>
        </div>
      ))}
      {before !== undefined && (
        <div className="flex spread gap12">
          <span className="row gap8 minWidth0 truncate">Range before</span>
          <span>{formatCount(sumOf(before, first, last))}</span>
        </div>
      )}
      {eventsIn(stack, events, first, last).map((event) => (
        <div key={`${event.at} ${event.text}`}>{eventText(event, zone)}</div>
      ))}
    </div>
  );
}
