/** The head of lines: their parts, the day of the first line in view, and what all lines have in common. */
import { Menu, VisuallyHidden } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { type ReactNode, memo } from 'react';
import { type LinePart, type RowLayout, lineParts, shownParts } from '../../ui/message/rowLayout';
import { movedPart, useLineOrder } from './lineOrder';
import { useColumnMoves } from './useColumnMoves';
import classes from './LinesHead.module.css';

/** Drawn again when it has something else to say, not with every row that comes into view. */
export const LinesHead = memo(function LinesHead({
  day,
  layout,
}: {
  day: string;
  layout: RowLayout;
}) {
  const { host, program } = layout;
  const [order, setOrder] = useLineOrder();
  const parts = shownParts(layout);
  const moves = useColumnMoves({
    columns: parts,
    onMove: (part, to) => setOrder(movedPart(order, part, to)),
  });
  return (
    <div role="row" aria-rowindex={1} className={classes.head}>
      <span role="columnheader">
        <VisuallyHidden>Severity</VisuallyHidden>
      </span>
      <span role="columnheader" aria-label="Time" className={classes.day} title={day}>
        {day.replace(/ \d{4}$/u, '')}
      </span>
      {parts.map((part, at) => (
        <span
          key={part}
          role="columnheader"
          aria-label={nameOf(part)}
          className={part === 'message' ? classes.message : undefined}
          {...moves.place(part)}
        >
          <PartMenu
            at={at}
            count={parts.length}
            onMove={(step) => moves.by(part, step)}
            onReset={() => setOrder(lineParts)}
          >
            <button
              type="button"
              className={classes.part}
              title="Drag, or Alt with an arrow key, to move it"
              onKeyDown={moves.onKeyDown(part)}
              {...moves.grip(part)}
            >
              {nameOf(part)}
            </button>
          </PartMenu>
          {part === 'message' && (
            <>
              <Common name="host" value={host.only} />
              <Common name="program" value={program.only} />
            </>
          )}
        </span>
      ))}
    </div>
  );
});

function nameOf(part: LinePart): string {
  switch (part) {
    case 'host':
      return 'Host';
    case 'program':
      return 'Program';
    case 'message':
      return 'Message';
    case 'logspace':
      return 'Logspace';
  }
}

type PartMenuProps = {
  at: number;
  count: number;
  onMove: (step: -1 | 1) => void;
  onReset: () => void;
  children: ReactNode;
};

function PartMenu({ at, count, onMove, onReset, children }: PartMenuProps) {
  return (
    <Menu position="bottom-start" withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconArrowLeft size={16} />}
          disabled={at === 0}
          onClick={() => onMove(-1)}
        >
          Move left
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowRight size={16} />}
          disabled={at === count - 1}
          onClick={() => onMove(1)}
        >
          Move right
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={onReset}>Reset order</Menu.Item>
      </Menu.Dropdown>
    </Menu>
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
