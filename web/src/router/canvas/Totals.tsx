/** The fate of all messages, below the sources: messages per second by the server's ledger. */
import { useIsAway } from '../../api/freshness';
import { formatRate } from '../../ui/number';
import type { Fates } from './measure';
import classes from './Canvas.module.css';

type Props = {
  x: number;
  y: number;
  width: number;
  /** Undefined until they are known. */
  fates: Fates | undefined;
};

export function Totals({ x, y, width, fates }: Props) {
  const isAway = useIsAway();
  return (
    <section className={classes.totals} style={{ left: x, top: y, width }} aria-label="In total">
      {fates === undefined ? (
        <p>{isAway ? 'Not known' : 'Measuring…'}</p>
      ) : (
        <dl title="A second, over the last half minute.">
          <Row name="Received" rate={fates.received} isMain />
          <Row name="Stored" rate={fates.stored} />
          {fates.forwarded > 0 && (
            <Row name="Only forwarded" rate={fates.forwarded} about="No logspace has them." />
          )}
          <Row
            name="Dropped"
            rate={fates.dropped}
            about="Steps of routes took them out, or what they were sent to is disabled."
          />
          <Row
            name="Lost"
            rate={fates.lost}
            tone={fates.lost > 0 ? 'bad' : 'good'}
            about="There was no room for them, or they were lost on the way. The Flow page says where."
          />
          <Row
            name="Unrouted"
            rate={fates.unrouted}
            {...(fates.unrouted > 0 && { tone: 'caution' as const })}
            about="No route took them, so they were dropped."
            isApart
          />
        </dl>
      )}
    </section>
  );
}

type RowProps = {
  name: string;
  rate: number;
  about?: string;
  tone?: 'good' | 'caution' | 'bad';
  isMain?: boolean;
  isApart?: boolean;
};

function Row({ name, rate, about, tone, isMain, isApart }: RowProps) {
  return (
    <div title={about} data-tone={tone} data-main={isMain} data-apart={isApart}>
      <dt>{name}</dt>
      <dd>{rate === 0 ? '0' : `${formatRate(rate)}/s`}</dd>
    </div>
  );
}
