/**
 * Everything that can be done right now, which can be found by a few letters and run without the
 * mouse.
 */
import { Modal } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { KeyCaps } from './KeyCaps';
import type { Command } from './commands';
import { type Match, rank } from './fuzzy';
import classes from './Palette.module.css';

type Props = {
  opened: boolean;
  onClose: () => void;
  /** The commands, which are read each time the palette opens. */
  commands: () => readonly Command[];
  /** The heading of commands without a group. */
  page: string;
  /** The order of the headings; any others come after these. */
  groups: readonly string[];
  /** Makes the commands for any text, which are listed after all matches. */
  fallback: (typed: string) => Command;
};

const SHOWN_MAX = 60;

export function Palette({ opened, onClose, ...rest }: Props) {
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={600}
      yOffset="12vh"
      centered={false}
      classNames={{ content: 'surface' }}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label="Commands">
        <Modal.Body p={0}>
          <Choice {...rest} onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

type Row = { command: Command; match: Match | null };

function Choice({ commands, page, groups, fallback, onClose }: Omit<Props, 'opened'>) {
  const [all] = useState(commands);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const rows =
    typed.trim() === '' ? browsed(all, groups) : found(all, typed, fallback(typed.trim()));
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, typed]);

  const run = (row: Row | undefined) => {
    if (row === undefined) return;
    onClose();
    row.command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event, rows.length, chosen);
    if (step !== null) {
      event.preventDefault();
      setChosen(step);
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(rows[chosen]);
    }
  };
  return (
    <>
      <div className={classes.field}>
        <IconSearch size={16} aria-hidden />
        <input
          className={classes.input}
          data-autofocus
          // The field gets the focus at once, so that no key press is lost.
          autoFocus
          role="combobox"
          aria-label="Find a command"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={rows.length > 0 ? `${listId}-${chosen}` : undefined}
          placeholder="Find a page, an action or an earlier query"
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setChosen(0);
          }}
        />
      </div>
      <div className={classes.list} id={listId} role="listbox" aria-label="Commands" ref={list}>
        {rows.map((row, at) => {
          const { command } = row;
          const group = command.group ?? page;
          const isFirst =
            typed.trim() === '' && (at === 0 || rows[at - 1]?.command.group !== command.group);
          return (
            <div key={command.id} role="presentation">
              {isFirst && (
                <div className={classes.group} role="presentation">
                  {group}
                </div>
              )}
              <div
                id={`${listId}-${at}`}
                className={classes.row}
                role="option"
                aria-selected={at === chosen}
                onMouseMove={() => setChosen(at)}
                onClick={() => run(row)}
              >
                <span className={classes.title}>{marked(command.title, row.match)}</span>
                {typed.trim() !== '' && <span className="meta dimmed">{group}</span>}
                {command.keys !== undefined && <KeyCaps keys={command.keys} />}
              </div>
            </div>
          );
        })}
      </div>
    </>
  );
}

/** The commands, beginning with those of the page. */
function browsed(all: readonly Command[], order: readonly string[]): Row[] {
  const known = ['', ...order];
  const others = all.map(({ group }) => group ?? '').filter((group) => !known.includes(group));
  return [...known, ...new Set(others)]
    .flatMap((group) => all.filter((command) => (command.group ?? '') === group))
    .slice(0, SHOWN_MAX)
    .map((command) => ({ command, match: null }));
}

function found(all: readonly Command[], typed: string, last: Command): Row[] {
  const ranked = rank(typed, all, ({ title, words = '' }) => `${title} ${words}`);
  const rows = ranked.map(({ item, match }) => ({ command: item, match }));
  return [...rows.slice(0, SHOWN_MAX), { command: last, match: null }];
}

function stepOf(event: KeyboardEvent, count: number, chosen: number): number | null {
  if (count === 0) return null;
  switch (event.key) {
    case 'ArrowDown':
      return (chosen + 1) % count;
    case 'ArrowUp':
      return (chosen + count - 1) % count;
    case 'Home':
      return event.ctrlKey ? 0 : null;
    case 'End':
      return event.ctrlKey ? count - 1 : null;
    default:
      return null;
  }
}

function marked(title: string, match: Match | null): ReactNode {
  if (match === null) return title;
  const at = new Set(match.at);
  return Array.from(title).map((letter, n) => (at.has(n) ? <b key={n}>{letter}</b> : letter));
}
