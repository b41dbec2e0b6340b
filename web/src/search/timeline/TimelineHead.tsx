/** The line above the bars: what folds them, what they mean, and how they are cut. */
import { UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Histogram } from '../../api/model';
import { formatSpan } from '../../ui/chart/ticks';
import { formatCount } from '../../ui/number';
import type { SearchState } from '../searchParams';
import { SplitSelect } from './SplitSelect';
import classes from './Timeline.module.css';

type Props = {
  state: SearchState;
  histogram: Histogram | undefined;
  isOpen: boolean;
  /** Missing where there is no room to open it. */
  onToggle: (() => void) | undefined;
  onAll: () => void;
  onChange: (part: Partial<SearchState>) => void;
  children?: ReactNode;
};

export function TimelineHead(props: Props) {
  const { state, histogram, isOpen, onToggle, onAll, onChange, children } = props;
  return (
    <div className={classes.head}>
      {onToggle !== undefined && (
        <UnstyledButton
          className={classes.toggle}
          aria-label="Histogram"
          aria-expanded={isOpen}
          title={isOpen ? 'Fold the histogram' : 'Show the histogram'}
          onClick={onToggle}
        >
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      )}
      <div className={classes.middle}>{children}</div>
      {histogram !== undefined && histogram.later > 0 && (
        <UnstyledButton className={classes.later} onClick={onAll}>
          {formatCount(histogram.later)} dated in the future
        </UnstyledButton>
      )}
      {histogram !== undefined && histogram.interval_ms > 0 && (
        <span className={classes.span}>per {formatSpan(histogram.interval_ms)}</span>
      )}
      {isOpen && <SplitSelect state={state} onChange={onChange} />}
    </div>
  );
}
