/** The one answer of the page: how many messages the draft would change, and how. */
import { formatCount } from '../../ui/number';
import { isEstimate, marginText } from './estimate';
import type { Kind, Matrix } from './outcome';
import type { TestReport } from './wire';
import classes from './Testing.module.css';

type Props = { report: TestReport; matrix: Matrix };

export function Summary({ report, matrix }: Props) {
  const { totals, lostTo } = matrix;
  const changed = totals.fields + totals.gained + totals.other + totals.lost;
  const of = isEstimate(report) ? report.total : report.messages;
  const parts: readonly { kind: Kind; words: string }[] = [
    { kind: 'fields', words: 'other fields' },
    { kind: 'gained', words: 'gained by a target' },
    { kind: 'other', words: 'other outcome' },
    { kind: 'lost', words: `lost to ${lostTo.length === 0 ? 'a target' : lostTo.join(', ')}` },
  ];
  return (
    <div className={classes.summary}>
      <p>
        <b>{changed === 0 ? 'None' : formatCount(changed)}</b> of {formatCount(of)} would change
        {isEstimate(report) && <span>, {marginText(report.margin)}</span>}
      </p>
      <ul>
        {parts
          .filter(({ kind }) => totals[kind] > 0)
          .map(({ kind, words }) => (
            <li key={kind} data-kind={kind}>
              <b>{formatCount(totals[kind])}</b> {words}
            </li>
          ))}
      </ul>
    </div>
  );
}
