/** The clauses of the query: one click switches a clause off, negates, edits or removes it. */
import { UnstyledButton } from '@mantine/core';
import { IconEqualNot, IconPencil, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ExplainResponse } from '../../api/model';
import { useEdit } from '../../ui/query/useEdit';
import type { SearchState } from '../searchParams';
import classes from './Clauses.module.css';

type Props = {
  state: SearchState;
  /** How the server reads the query; nothing is shown until it said so. */
  explained: ExplainResponse | undefined;
  onChange: (part: Partial<SearchState>) => void;
  onEdit: (start: number, end: number) => void;
};

type Part = { text: string; start: number; end: number; negated: boolean; isStage: boolean };

export function Clauses({ state, explained, onChange, onEdit }: Props) {
  const { query, off } = state;
  const parts = partsOf(explained);
  const edit = useEdit(query);
  const switchOff = ({ text, start, end }: Part) =>
    edit([{ op: 'remove', start, end }], (next) => onChange({ query: next, off: [...off, text] }));
  const putBack = (text: string) =>
    edit([{ op: 'add', text }], (next) =>
      onChange({ query: next, off: off.filter((other) => other !== text) }),
    );
  const turn = ({ start, end }: Part) =>
    edit([{ op: 'negate', start, end }], (next) => onChange({ query: next }));
  const remove = ({ start, end }: Part) =>
    edit([{ op: 'remove', start, end }], (next) => onChange({ query: next }));
  return (
    <ul className={classes.clauses} aria-label="Clauses">
      {parts.map((part) => (
        <Chip key={`${part.start}`} part={part} isOn onToggle={() => switchOff(part)}>
          {!part.isStage && (
            <Action
              label={`${part.negated ? 'Include' : 'Exclude'} ${part.text}`}
              onClick={() => turn(part)}
            >
              <IconEqualNot size={14} />
            </Action>
          )}
          <Action label={`Edit ${part.text}`} onClick={() => onEdit(part.start, part.end)}>
            <IconPencil size={14} />
          </Action>
          <Action label={`Remove ${part.text}`} onClick={() => remove(part)}>
            <IconX size={14} />
          </Action>
        </Chip>
      ))}
      {off.map((text) => (
        <Chip
          key={`off ${text}`}
          part={{ text, negated: false }}
          isOn={false}
          onToggle={() => putBack(text)}
        >
          <Action
            label={`Remove ${text}`}
            onClick={() => onChange({ off: off.filter((other) => other !== text) })}
          >
            <IconX size={14} />
          </Action>
        </Chip>
      ))}
    </ul>
  );
}

function partsOf(explained: ExplainResponse | undefined): Part[] {
  if (explained === undefined) return [];
  const { clauses_of_query: clauses, stages } = explained;
  return [
    ...clauses.map((clause) => ({ ...clause, isStage: false })),
    ...stages.map((stage) => ({
      ...stage,
      text: `| ${stage.text}`,
      negated: false,
      isStage: true,
    })),
  ];
}

type ChipProps = {
  part: Pick<Part, 'text' | 'negated'>;
  isOn: boolean;
  onToggle: () => void;
  children: ReactNode;
};

function Chip({ part: { text, negated }, isOn, onToggle, children }: ChipProps) {
  return (
    <li className={classes.chip} data-on={isOn} data-negated={negated}>
      <UnstyledButton
        className={classes.text}
        aria-pressed={isOn}
        title={`${text}\n${isOn ? 'Click to switch it off' : 'Switched off. Click to put it back'}`}
        onClick={onToggle}
      >
        {text}
      </UnstyledButton>
      <span className={classes.actions}>{children}</span>
    </li>
  );
}

type ActionProps = { label: string; onClick: () => void; children: ReactNode };

function Action({ label, onClick, children }: ActionProps) {
  return (
    <UnstyledButton
      className={classes.action}
      aria-label={label}
      title={label.slice(0, 120)}
      onClick={onClick}
    >
      {children}
    </UnstyledButton>
  );
}
