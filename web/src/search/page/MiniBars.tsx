/** The histogram within the toolbar, for low windows: its outline, and the way to all of it. */
import { ActionIcon } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import type { Histogram } from '../../api/model';
import { Strip } from '../timeline/Strip';
import classes from './MiniBars.module.css';

type Props = {
  histogram: Histogram | undefined;
  split: string;
  isOpen: boolean;
  onToggle: () => void;
};

export function MiniBars({ histogram, split, isOpen, onToggle }: Props) {
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
      {histogram !== undefined && !isOpen && (
        <div className={classes.bars}>
          <Strip histogram={histogram} split={split} />
        </div>
      )}
    </div>
  );
}
