/**
 * A message before and after a change, with the differences marked. Parts that are equal in both
 * are left out.
 */
import { differences } from './differences';
import type { Shown } from '../../api/query';
import classes from './MessageChanges.module.css';

/**
 * The maximum number of rows: more would hide the next example, and the message's page shows all of
 * them.
 */
const ROWS_MAX = 12;

type Row = { name: string; before: string; after: string };

export function MessageChanges({ before, after }: { before: Shown; after: Shown }) {
  const rows = changedRows(before, after);
  return (
    <dl className="marginUnder">
      {rows.length === 0 && <Same name="message" text={before.message} />}
      {rows.slice(0, ROWS_MAX).map(({ name, before: was, after: is }) => (
        <div key={name} className={classes.row}>
          <dt>{name}</dt>
          <dd>
            {differences(was, is).map(({ text, kind }, at) => {
              if (kind === 'gone') return <del key={at}>{text}</del>;
              return kind === 'new' ? <ins key={at}>{text}</ins> : <span key={at}>{text}</span>;
            })}
          </dd>
        </div>
      ))}
      {rows.length > ROWS_MAX && <p className="dimmed">{rows.length - ROWS_MAX} more fields</p>}
    </dl>
  );
}

function Same({ name, text }: { name: string; text: string }) {
  return (
    <div className={classes.row}>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

/**
 * The message first, then the fields by their names; the raw bytes only if nothing else differs.
 */
export function changedRows(before: Shown, after: Shown): Row[] {
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields)]);
  const head = (['message', 'time', 'host', 'program', 'severity_name'] as const).map((key) => ({
    name: key === 'severity_name' ? 'severity' : key,
    before: before[key],
    after: after[key],
  }));
  const fields = [...names].sort().map((name) => ({
    name,
    before: before.fields[name] ?? '',
    after: after.fields[name] ?? '',
  }));
  const rows = [...head, ...fields].filter((row) => row.before !== row.after);
  return rows.length === 0 && before.raw !== after.raw
    ? [{ name: 'raw', before: before.raw, after: after.raw }]
    : rows;
}
