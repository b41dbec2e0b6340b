/** Lines, a table of them, or a chart of their number. It stands first and keeps its width, so that it never moves. */
import { SegmentedControl } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { memo } from 'react';
import { splitStages } from '../../ui/query/stages';
import type { View } from '../../messages/messageState';
import type { SearchState } from '../searchParams';
import type { SearchActions } from './useSearchActions';

type Props = {
  state: SearchState;
  /** Stages make a table of their own, which is shown as a chart. */
  hasStages: boolean;
  steps: SearchActions;
};

type Mode = View | 'chart';

/** The chart of a query that does not choose one. */
const CHART = '| timechart count() by severity';

export function ModeSwitch({ state, hasStages, steps }: Props) {
  const change = useCallbackRef((mode: Mode) => {
    if (mode === 'chart') steps.edit([{ op: 'add', text: CHART }]);
    else if (hasStages) steps.ask({ view: mode, query: splitStages(state.query).filter.trim() });
    else steps.show({ view: mode });
  });
  return <Modes mode={hasStages ? 'chart' : state.view} onChange={change} />;
}

type ModesProps = { mode: Mode; onChange: (mode: Mode) => void };

const Modes = memo(function Modes({ mode, onChange }: ModesProps) {
  return (
    <SegmentedControl<Mode>
      aria-label="View"
      value={mode}
      onChange={onChange}
      data={[
        { value: 'lines', label: 'Lines' },
        { value: 'table', label: 'Table' },
        { value: 'chart', label: 'Chart' },
      ]}
    />
  );
});
