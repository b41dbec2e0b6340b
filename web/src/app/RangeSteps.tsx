/** The ways from a range to the next that need no choosing. */
import { Button } from '@mantine/core';
import {
  IconArrowBackUp,
  IconChevronLeft,
  IconChevronRight,
  IconZoomOut,
} from '@tabler/icons-react';
import { useCommands } from '../ui/commands';
import { type TimeRange, shift, zoomOut } from '../ui/range';
import classes from './RangeSteps.module.css';
import { useRangeTrail } from './rangeTrail';
import { canGoBack } from './scope';

type Props = { range: TimeRange; onChange: (range: TimeRange) => void };

/** Bound wherever a range is chosen. */
export function useRangeSteps({ range, onChange }: Props) {
  const trail = useRangeTrail(range);
  const hasBeginning = range.kind === 'last' || (range.kind === 'between' && range.from !== null);
  const step = (next: TimeRange | null | undefined) => {
    if (next != null) onChange(next);
  };
  const steps = [
    {
      id: 'earlier',
      title: 'Previous range',
      keys: '[',
      Icon: IconChevronLeft,
      isOff: !hasBeginning,
      run: () => step(shift(range, -1, Date.now())),
    },
    {
      id: 'later',
      title: 'Next range',
      keys: ']',
      Icon: IconChevronRight,
      isOff: !hasBeginning,
      run: () => step(shift(range, 1, Date.now())),
    },
    {
      id: 'zoom-out',
      title: 'Zoom out',
      keys: 'Z',
      Icon: IconZoomOut,
      isOff: !hasBeginning,
      run: () => step(zoomOut(range, Date.now())),
    },
    {
      id: 'zoom-back',
      title: 'Undo zoom',
      keys: 'z',
      Icon: IconArrowBackUp,
      isOff: !canGoBack(trail),
      run: () => step(canGoBack(trail) ? trail.at(-2) : null),
    },
  ];
  useCommands(
    steps.map(({ id, title, keys, run }) => ({ id, title, keys, group: 'Time range', run })),
  );
  return steps;
}

export type RangeStep = ReturnType<typeof useRangeSteps>[number];

export function RangeSteps({ steps }: { steps: readonly RangeStep[] }) {
  return (
    <div className={classes.steps} role="group" aria-label="Move the range">
      {steps.map(({ id, title, keys, Icon, isOff, run }) => (
        <Button
          key={id}
          variant="default"
          className={classes.step ?? ''}
          leftSection={<Icon size={16} />}
          title={`${title} (${keys})`}
          // Not `disabled`: the focus would be lost with the last step.
          aria-disabled={isOff}
          onClick={() => {
            if (!isOff) run();
          }}
        >
          {title}
        </Button>
      ))}
    </div>
  );
}
