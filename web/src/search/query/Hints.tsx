/** The server's hints about a query while it is typed: warnings with their remedy, and that it is slow. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ExplainResponse } from '../../api/model';
import { costReason } from './explain';
import classes from './Hints.module.css';

type HintsProps = {
  explained: ExplainResponse | undefined;
  error: Error | null;
  onUse: (query: string) => void;
};

/** One at a time: the first one is what is in the way. */
export function Hints({ explained, error, onUse }: HintsProps) {
  const [warning, ...more] = explained?.warnings ?? [];
  if (warning === undefined) {
    return <p className={classes.hint}>{error?.message}</p>;
  }
  const { message, suggestion } = warning;
  return (
    <p className={classes.hint} role="status">
      <IconAlertTriangle className="caution" size={14} aria-hidden />
      <span className={classes.text} title={message}>
        {message}
      </span>
      {more.length > 0 && <span className="rigid">and {more.length} more</span>}
      {suggestion !== undefined && (
        <UnstyledButton className={classes.fix} onClick={() => onUse(suggestion)}>
          Search for <code>{suggestion}</code>
        </UnstyledButton>
      )}
    </p>
  );
}

/** Only of a query that is: of the others there is nothing to say. */
export function SlowSign({ explained }: { explained: ExplainResponse }) {
  const { cost } = explained;
  if (cost === 'instant' || cost === 'quick') return null;
  const word = cost === 'slow' ? 'Slow' : 'Very slow';
  const reason = costReason(explained);
  return (
    <Tooltip label={reason} multiline maw={320} position="bottom-end">
      <span
        className={classes.cost}
        data-cost={cost}
        role="note"
        // The reason can be read without a mouse as well.
        tabIndex={0}
        aria-label={`${word}: ${reason}`}
      >
        {word}
      </span>
    </Tooltip>
  );
}
