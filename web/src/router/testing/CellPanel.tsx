/** The messages of one outcome: the differences in them, and examples. */
import { Anchor } from '@mantine/core';
import { IconArrowRight, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { IconButton } from '../../ui/IconButton';
import { formatCount, formatMessages } from '../../ui/number';
import { formatTime, useZone } from '../../ui/time';
import { MessageChanges } from '../../ui/trace/MessageChanges';
import type { Cell } from './outcome';
import type { TestReport } from './wire';
import classes from './CellPanel.module.css';
import { address } from '../../ui/open';

const FIELDS_MAX = 12;
const PAGE = 3;

type Props = { cell: Cell; report: TestReport };

export function CellPanel({ cell, report }: Props) {
  const fields = Object.entries(cell.differs).sort(([, a], [, b]) => b - a);
  const step = [...cell.steps].sort((a, b) => b.changed - a.changed)[0];
  return (
    <section className={classes.panel} aria-label="One outcome">
      <div className={classes.head}>
        <h2>
          {cell.row} <IconArrowRight size={14} role="img" aria-label="to" /> {cell.column}
        </h2>
        {step !== undefined && (
          <span
            className="padX8 rigid meta bold accent chosen round4"
            title={`Step ${step.step} of ${step.route}`}
          >
            step {step.kind}
          </span>
        )}
      </div>
      <p className="dimmed">{sentence(cell)}</p>
      {fields.length > 0 && (
        <div className={classes.part}>
          <h3>What differs</h3>
          <div className={classes.differs}>
            {fields.slice(0, FIELDS_MAX).map(([name, count]) => (
              <div key={name}>
                <span className="truncate mono" title={name}>
                  {name}
                </span>
                <span className="meter">
                  <span style={{ width: `${(100 * count) / Math.max(cell.changed, 1)}%` }} />
                </span>
                <span>{formatCount(count)}</span>
              </div>
            ))}
          </div>
          {fields.length > FIELDS_MAX && (
            <p className="dimmed">{fields.length - FIELDS_MAX} more fields</p>
          )}
        </div>
      )}
      <ParseFailures report={report} />
      <Examples key={`${cell.row}:${cell.column}`} cell={cell} />
    </section>
  );
}

function ParseFailures({ report }: { report: TestReport }) {
  const { before, after } = report.parse_failures;
  if (before === 0 && after === 0) return null;
  const [isBetter, isWorse] = [after < before, after > before];
  return (
    <p className={classes.failures} data-tone={isWorse ? 'caution' : isBetter ? 'good' : 'same'}>
      {isWorse && `${formatCount(after - before)} parse failures more`}
      {isBetter && `${formatCount(before - after)} parse failures fewer`}
      {!isWorse && !isBetter && `${formatCount(after)} parse failures, as now`}
      <span className="dimmed"> in the whole test</span>
    </p>
  );
}

function Examples({ cell }: { cell: Cell }) {
  const [zone] = useZone();
  const [from, setFrom] = useState(0);
  const { examples, count } = cell;
  const last = Math.min(from + PAGE, examples.length);
  return (
    <div>
      <div className={classes.examplesHead}>
        <h3>Examples</h3>
        <span className="dimmed">
          {examples.length === 0
            ? 'none were kept'
            : `${from + 1}–${last} of ${formatCount(examples.length < count ? examples.length : count)}`}
        </span>
        {examples.length > PAGE && (
          <>
            <IconButton
              icon={IconChevronLeft}
              iconSize={14}
              size={24}
              label="Earlier examples"
              disabled={from === 0}
              onClick={() => setFrom(from - PAGE)}
            />
            <IconButton
              icon={IconChevronRight}
              iconSize={14}
              size={24}
              label="Later examples"
              disabled={last >= examples.length}
              onClick={() => setFrom(from + PAGE)}
            />
          </>
        )}
      </div>
      {examples.slice(from, last).map(({ id, before, after }, at) => (
        <article key={id ?? from + at} className={classes.example}>
          <div className={classes.exampleHead}>
            <span>{formatTime(after.time, zone).slice(11)}</span> <span>{after.host}</span>{' '}
            <span className="dimmed">{after.program}</span>
            {id !== undefined && (
              <Anchor
                size="xs"
                href={address('/router', { trace: id })}
                aria-label={`Trace the message of ${after.host} at ${formatTime(after.time, zone)}`}
              >
                Trace
              </Anchor>
            )}
          </div>
          <MessageChanges before={before} after={after} />
        </article>
      ))}
    </div>
  );
}

function sentence(cell: Cell): string {
  const { kind, count, changed } = cell;
  const all = formatMessages(count);
  const one = count === 1;
  switch (kind) {
    case 'same':
      return `${all} ${one ? 'stays as it is' : 'stay as they are'}.`;
    case 'fields':
      return changed === count
        ? `${all} ${one ? 'keeps its' : 'keep their'} targets with other fields.`
        : `${all} keep their targets, ${formatCount(changed)} of them with other fields.`;
    case 'gained':
      return `${all} ${one ? 'reaches' : 'reach'} more targets than now.`;
    case 'other':
      return cell.after.some((target) => target.startsWith('dropped:'))
        ? `${all} ${one ? 'is' : 'are'} dropped by a rule of the draft.`
        : `${all} ${one ? 'ends' : 'end'} up elsewhere.`;
    case 'lost':
      return `${all} no longer ${one ? 'reaches' : 'reach'} a target that ${one ? 'it reaches' : 'they reach'} now.`;
  }
}
