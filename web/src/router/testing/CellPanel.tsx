/** The messages of one outcome: what differs in them, and examples. */
import { ActionIcon, Anchor } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { formatCount } from '../../ui/number';
import { formatTime, useZone } from '../../ui/time';
import { Changed } from './Changed';
import { type Cell, outcomeText } from './outcome';
import type { TestReport } from './wire';
import classes from './Testing.module.css';

const FIELDS_MAX = 12;

type Props = { cell: Cell; report: TestReport; onClose: () => void };

export function CellPanel({ cell, report, onClose }: Props) {
  const [zone] = useZone();
  const fields = Object.entries(cell.differs).sort(([, a], [, b]) => b - a);
  const failures = report.parse_failures.after - report.parse_failures.before;
  return (
    <aside className={classes.side} aria-label="One outcome">
      <div className={classes.sideHead}>
        <h3>
          {outcomeText(cell.before)} → {outcomeText(cell.after)}
        </h3>
        <ActionIcon aria-label="Close" onClick={onClose}>
          <IconX size={16} />
        </ActionIcon>
      </div>
      <p className="dimmed">{sentence(cell)}</p>
      {fields.length > 0 && (
        <section>
          <h4>What differs</h4>
          {fields.slice(0, FIELDS_MAX).map(([name, count]) => (
            <div key={name} className={classes.differs}>
              <span className="mono">{name}</span>
              <span className={classes.bar} style={{ width: `${(60 * count) / cell.count}%` }} />
              <span>{formatCount(count)}</span>
            </div>
          ))}
          {fields.length > FIELDS_MAX && (
            <p className="dimmed">{fields.length - FIELDS_MAX} more fields</p>
          )}
        </section>
      )}
      {failures !== 0 && (
        <p>
          {formatCount(Math.abs(failures))} parse failures {failures > 0 ? 'more' : 'fewer'} in all.
        </p>
      )}
      <h4>Examples</h4>
      {cell.examples.length === 0 && <p className="dimmed">None were kept.</p>}
      {cell.examples.map(({ id, before, after }, at) => (
        <article key={id ?? at} className={classes.example}>
          <div>
            <span className="mono">{formatTime(after.time, zone).slice(11)}</span> {after.host}{' '}
            <span className="dimmed">{after.program}</span>
            {id !== undefined && (
              <Anchor
                size="xs"
                ml={8}
                href={`/router?${new URLSearchParams({ trace: id }).toString()}`}
              >
                Trace
              </Anchor>
            )}
          </div>
          <Changed before={before} after={after} />
        </article>
      ))}
    </aside>
  );
}

function sentence(cell: Cell): string {
  const { kind, count, changed } = cell;
  const all = formatCount(count);
  switch (kind) {
    case 'same':
      return `${all} messages stay as they are.`;
    case 'fields':
      return `${all} messages keep their targets; ${formatCount(changed)} get other fields.`;
    case 'other':
      return cell.after.some((target) => target.startsWith('dropped:'))
        ? `${all} messages are dropped by a rule.`
        : `${all} messages end up elsewhere, and no target loses them.`;
    case 'lost':
      return `${all} messages no longer reach a target that they reach now.`;
  }
}
