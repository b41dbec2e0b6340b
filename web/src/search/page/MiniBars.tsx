/** The histogram within the toolbar, for low windows: its outline, and the way to all of it. */
import { ActionIcon } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Histogram } from '../../api/model';
import { layerPath, stackOf } from '../../ui/chart/stack';
import classes from './MiniBars.module.css';

type Props = {
  histogram: Histogram | undefined;
  split: string;
  isOpen: boolean;
  onToggle: () => void;
};

const WIDTH = 600;
const HEIGHT = 24;

export function MiniBars({ histogram, split, isOpen, onToggle }: Props) {
  const stack = useMemo(() => histogram && stackOf(histogram, split), [histogram, split]);
  return (
    <div className={classes.frame}>
      <ActionIcon
        size={24}
        aria-label="Messages over time"
        aria-expanded={isOpen}
        className={classes.toggle ?? ''}
        onClick={onToggle}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
      {stack !== undefined && !isOpen && (
        <svg
          className={classes.bars}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden
        >
          {stack.layers.map(({ label, color }, at) => (
            <path
              key={label}
              fill={color}
              d={layerPath(stack.layers, at, {
                width: WIDTH,
                height: HEIGHT,
                top: Math.max(stack.highest, 1),
              })}
            />
          ))}
        </svg>
      )}
    </div>
  );
}
