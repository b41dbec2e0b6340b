/** A message as it was parsed: what every message has, and its own fields beside it. */
import type { Message } from '../api/model';
import { Severity } from '../ui/Severity';
import { type FieldRow, fieldGroups } from '../ui/message/fields';
import { cut } from '../ui/message/text';
import { formatTime, useZone } from '../ui/time';
import classes from './Arrival.module.css';

const MESSAGE_CHARACTERS_MAX = 1_000;
const VALUE_CHARACTERS_MAX = 200;
/** A message can have hundreds of fields; Search has them all. */
const ROWS_MAX = 24;

export function FirstMessage({ message }: { message: Message }) {
  const { text, left } = cut(message.message, MESSAGE_CHARACTERS_MAX);
  return (
    <>
      <p className="preWrap breakAnywhere mono">
        {text}
        {left > 0 && <span className="dimmed"> … {left} more characters</span>}
      </p>
      <div className={classes.groups}>
        {fieldGroups(message).map(({ title, rows }) => (
          <section key={title} className={classes.group} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {rows.slice(0, ROWS_MAX).map((row, at) => (
                <div key={`${row.field} ${at}`} className={classes.row}>
                  <dt>{row.field}</dt>
                  <dd>
                    <Value row={row} message={message} />
                  </dd>
                </div>
              ))}
            </dl>
            {rows.length > ROWS_MAX && (
              <p className="dimmed">{rows.length - ROWS_MAX} more in Search</p>
            )}
          </section>
        ))}
      </div>
    </>
  );
}

function Value({ row: { field, kind, value }, message }: { row: FieldRow; message: Message }) {
  const [zone] = useZone();
  if (kind === 'time') return <time dateTime={value}>{formatTime(value, zone)}</time>;
  if (field === 'severity') return <Severity message={message} />;
  const { text, left } = cut(value, VALUE_CHARACTERS_MAX);
  return (
    <>
      {text}
      {left > 0 && '…'}
    </>
  );
}
