/** The whole range in one line: what was received, and where all of it is. */
import { IconAlertTriangle, IconCircleCheck, IconHelpCircle } from '@tabler/icons-react';
import type { Freshness } from '../api/freshness';
import type { LedgerCounts } from '../api/model';
import { staleText } from '../ui/staleText';
import { formatBytes, formatCount } from '../ui/number';
import { skippedSum, skippedText } from '../ui/skipped';
import { useZone } from '../ui/time';
import { reasonsText, sumOf } from './reasons';
import classes from './Flow.module.css';

type Term = {
  name: string;
  count: number;
  /** In place of the count. */
  text?: string;
  about?: string;
  isBad?: boolean;
};

type AmountProps = Term & {
  /** The sign before the term. */
  sign?: string;
};

export function Equation({ total, known }: { total: LedgerCounts; known: Freshness }) {
  const lost = sumOf(total.lost_before);
  const skipped = skippedSum(total.skipped_bytes);
  const terms: Term[] = [
    { name: 'Stored', count: total.stored },
    { name: 'Forwarded only', count: total.forwarded },
    {
      name: 'Dropped',
      count: sumOf(total.dropped),
      about: reasonsText(total.dropped, formatCount),
    },
    {
      name: 'Unacknowledged',
      count: total.unacknowledged,
      about: 'Lost with the process before anyone was told that they are safe.',
    },
    { name: 'In flight', count: total.in_flight },
  ];
  return (
    <section className={classes.equation} aria-label="Balance">
      <dl className={classes.terms}>
        <Amount name="Received" count={total.received} />
        {terms.map((term, at) => (
          <Amount key={term.name} sign={at === 0 ? '=' : '+'} {...term} />
        ))}
      </dl>
      {lost > 0 && (
        <dl className={classes.lost}>
          <Amount
            name="Lost before us"
            count={lost}
            about={`Known to have been lost on the way, so not received: ${reasonsText(total.lost_before, formatCount)}.`}
            isBad
          />
        </dl>
      )}
      {skipped > 0 && (
        <dl className={classes.lost}>
          <Amount
            name="In no message"
            count={skipped}
            text={formatBytes(skipped)}
            about={`Bytes that were received and that no message holds: ${skippedText(total.skipped_bytes)}.`}
            isBad
          />
        </dl>
      )}
      <Verdict remainder={total.remainder} skipped={skipped} known={known} />
    </section>
  );
}

function Amount({ name, count, text, about, isBad = false, sign }: AmountProps) {
  return (
    <div className={classes.amount} title={about} data-bad={isBad} data-sign={sign}>
      <dt>{name}</dt>
      <dd data-zero={count === 0}>{text ?? formatCount(count)}</dd>
    </div>
  );
}

/** Messages that balance say nothing of bytes that became none. */
function Verdict({
  remainder,
  skipped,
  known,
}: {
  remainder: number;
  skipped: number;
  known: Freshness;
}) {
  const [zone] = useZone();
  if (!known.isKnown) {
    return (
      <p className={classes.verdict} data-unknown>
        <IconHelpCircle size={18} aria-hidden /> {staleText(known, zone)}
      </p>
    );
  }
  if (remainder === 0 && skipped > 0) {
    return (
      <p className={classes.verdict} data-caution>
        <IconAlertTriangle size={18} aria-hidden />
        <span>
          {formatBytes(skipped)} in no message
          <span className="block small regular">The messages are balanced.</span>
        </span>
      </p>
    );
  }
  if (remainder === 0) {
    return (
      <p className={classes.verdict}>
        <IconCircleCheck size={18} aria-hidden /> Balanced
      </p>
    );
  }
  const sign = remainder < 0 ? '\u2212' : '';
  return (
    <p className={classes.verdict} data-bad role="alert">
      <IconAlertTriangle size={18} aria-hidden />
      <span>
        {sign}
        {formatCount(Math.abs(remainder))} not accounted for
        <span className="block small regular">A fault of the server: please report it.</span>
      </span>
    </p>
  );
}
