/** What the parts of a line are, which day the first line in view is of, and what all lines have in common. */
import { VisuallyHidden } from '@mantine/core';
import type { Look } from '../../ui/message/look';
import classes from './LinesHead.module.css';

export function LinesHead({ day, look }: { day: string; look: Look }) {
  const { host, program, logspace } = look;
  return (
    <div role="row" aria-rowindex={1} className={classes.head}>
      <span role="columnheader">
        <VisuallyHidden>Severity</VisuallyHidden>
      </span>
      <span role="columnheader" aria-label="Time" className={classes.day} title={day}>
        {day.replace(/ \d{4}$/u, '')}
      </span>
      {host.only === null && <span role="columnheader">Host</span>}
      {program.only === null && <span role="columnheader">Program</span>}
      <span role="columnheader" className={classes.message}>
        Message
        <Common name="host" value={host.only} />
        <Common name="program" value={program.only} />
      </span>
      {logspace !== null && <span role="columnheader">Logspace</span>}
    </div>
  );
}

/** A value that all lines have, so that none of them has to say it. */
function Common({ name, value }: { name: string; value: string | null }) {
  if (value === null || value === '') return null;
  return (
    <span className={classes.common} title={`All from ${name} ${value}`}>
      {name} <b>{value}</b>
    </span>
  );
}
