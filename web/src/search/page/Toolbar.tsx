/** Between the histogram and the results: how they are shown, how many there are, and what can be done with them. */
import { useElementSize } from '@mantine/hooks';
import { type ReactNode, Suspense, lazy } from 'react';
import { fetched } from '../../api/code';
import type { Message } from '../../api/model';
import { ViewTools } from '../results/ViewTools';
import type { SearchState } from '../searchParams';
import { Actions } from './Actions';
import { ResultCount } from './ResultCount';
import { withCopies } from './CopiesLeftOut';
import { LiveButton } from './LiveButton';
import { ModeSwitch } from './ModeSwitch';
import type { Search } from './useSearch';
import type { SearchActions } from './useSearchActions';
import { toolbarRoom } from './ToolButton';
import classes from './Toolbar.module.css';

const SavedState = lazy(async () => ({
  default: (await fetched(() => import('../saved/SavedState'))).SavedState,
}));

type Props = {
  state: SearchState;
  search: Search;
  steps: SearchActions;
  messages: readonly Message[];
  hasStages: boolean;
  /** The histogram, folded into this line where the window is low. */
  bars?: ReactNode;
};

export function Toolbar({ state, search, steps, messages, hasStages, bars }: Props) {
  const { ref, width } = useElementSize();
  const room = toolbarRoom(width);
  return (
    <>
      <div ref={ref} role="toolbar" aria-label="Results" className={classes.frame} data-room={room}>
        <ModeSwitch state={state} hasStages={hasStages} steps={steps} />
        <ResultCount search={search} room={room} onCopies={() => steps.edit([withCopies])} />
        {bars !== undefined && <div className="grow minWidth0">{bars}</div>}
        <div className={classes.tools}>
          {!hasStages && (
            <ViewTools
              state={state}
              messages={messages}
              room={room}
              onAsk={steps.ask}
              onChange={steps.show}
            />
          )}
          <Actions state={state} room={room} onAsk={steps.ask} onChange={steps.show} />
          <LiveButton state={state} search={search} room={room} onChange={steps.show} />
        </div>
      </div>
      {state.saved !== '' && (
        <Suspense>
          <SavedState state={state} onAsk={steps.ask} />
        </Suspense>
      )}
    </>
  );
}
