/** The histogram within the toolbar, for low windows: its outline, and the way to all of it. */
import { ActionIcon } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import type { Histogram } from '../../api/model';
import { HistogramStrip } from '../timeline/HistogramStrip';
import classes from './MiniHistogram.module.css';

type Props = {
  histogram: Histogram | undefined;
  split: string;
  isOpen: boolean;
  onToggle: () => void;
};

export function MiniHistogram({ histogram, split, isOpen, onToggle }: Props) {
  return (
    <div className="row gap8">
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
        <div className="grow minWidth0">
          <HistogramStrip histogram={histogram} split={split} />
        </div>
      )}
    </div>
  );
}
