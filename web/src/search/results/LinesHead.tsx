/** What the parts of a line are, and which day the first line in view is of. */
import { VisuallyHidden } from '@mantine/core';
import classes from './LinesHead.module.css';

export function LinesHead({ day }: { day: string }) {
  return (
    <div role="row" aria-rowindex={1} className={classes.head}>
      <span role="columnheader">
        <VisuallyHidden>Severity</VisuallyHidden>
      </span>
      <span role="columnheader" aria-label="Time" className={classes.day}>
        {day}
      </span>
      <span role="columnheader">Host</span>
      <span role="columnheader">Program</span>
      <span role="columnheader">Message</span>
    </div>
  );
}
