/**
 * The clauses that are switched off for now: they are shown beside the query, since they are not
 * part of it.
 */
import { UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useEdit } from './useEdit';
import classes from './OffClauses.module.css';

type Clauses = { query: string; off: readonly string[] };

type Props = {
  state: Clauses;
  onChange: (part: Partial<Clauses>) => void;
};

export function OffClauses({ state: { query, off }, onChange }: Props) {
  const edit = useEdit(query);
  if (off.length === 0) return null;
  const without = (text: string) => off.filter((other) => other !== text);
  const putBack = (text: string) =>
    edit([{ op: 'add', text }], (next) => onChange({ query: next, off: without(text) }));
  return (
    <ul className={classes.clauses} aria-label="Clauses that are off">
      {off.map((text) => (
        <li key={text} className={classes.clause}>
          <UnstyledButton
            className={classes.text}
            aria-label={`Switch on ${text}`}
            title={`${text}\nSwitched off. Click to put it back.`}
            onClick={() => putBack(text)}
          >
            {text}
          </UnstyledButton>
          <UnstyledButton
            className={classes.remove}
            aria-label={`Remove ${text}`}
            onClick={() => onChange({ off: without(text) })}
          >
            <IconX size={14} />
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
