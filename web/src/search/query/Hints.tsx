/** What the server says about a query while it is typed: warnings with their remedy, and its cost. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconCornerDownLeft } from '@tabler/icons-react';
import type { ExplainResponse } from '../../api/model';
import { costReason, costWord } from './explain';
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
    return (
      <p className={classes.hint}>
        <IconCornerDownLeft size={14} aria-hidden />
        {error === null ? 'Enter searches, Shift Enter starts a new line' : error.message}
      </p>
    );
  }
  const { message, suggestion } = warning;
  return (
    <p className={classes.hint} role="status">
      <IconAlertTriangle className={classes.caution} size={14} aria-hidden />
      <span className={classes.text} title={message}>
        {message}
      </span>
      {more.length > 0 && <span className={classes.more}>and {more.length} more</span>}
      {suggestion !== undefined && (
        <UnstyledButton className={classes.fix} onClick={() => onUse(suggestion)}>
          Search for <code>{suggestion}</code>
        </UnstyledButton>
      )}
    </p>
  );
}

export function CostDot({ explained }: { explained: ExplainResponse }) {
  const word = costWord(explained.cost);
  const reason = costReason(explained);
  return (
    <Tooltip label={reason} multiline maw={320} position="bottom-end">
      <span
        className={classes.cost}
        data-cost={explained.cost}
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

const examples = [
  'severity>=error',
  '"connection refused"',
  'program:sshd failed',
  '| top 10 host',
];

export function Examples({ onUse }: { onUse: (query: string) => void }) {
  return (
    <div className={classes.examples} role="group" aria-label="Examples">
      <span className="dimmed">Try</span>
      {examples.map((query) => (
        <UnstyledButton key={query} className={classes.example} onClick={() => onUse(query)}>
          {query}
        </UnstyledButton>
      ))}
    </div>
  );
}
