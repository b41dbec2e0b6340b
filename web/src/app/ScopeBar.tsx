/** What every page that looks at messages has in common: the stretch of time and the logspaces, kept from page to page. */
import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconChevronLeft,
  IconChevronRight,
  IconZoomOut,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { logspacesQuery } from '../api/logspaces';
import { useCommands } from '../ui/commands';
import { LogspacePicker } from '../ui/picker/LogspacePicker';
import { RangePicker } from '../ui/picker/RangePicker';
import { useEdit } from '../ui/query/useEdit';
import { useSetsRange } from '../ui/query/useReading';
import { type TimeRange, readRange, shift, writeRange, zoomOut } from '../ui/range';
import { useRangeTrail } from './rangeTrail';
import { type ScopeKind, canGoBack } from './scope';
import classes from './ScopeBar.module.css';

type Params = Record<string, string | undefined>;

export function ScopeBar({ kind }: { kind: Exclude<ScopeKind, 'none'> }) {
  const { data: logspaces = [] } = useQuery(logspacesQuery);
  const params: Params = useSearch({ strict: false });
  const navigate = useNavigate();
  const { from, to, logspace = '', ...others } = params;
  const chosen = logspace.split(',').filter((id) => id !== '');
  const change = (next: Params) =>
    void navigate({ to: '.', search: { ...others, ...next, open: undefined } });
  const query = (kind === 'both' && params['q']) || '';
  const setsRange = useSetsRange(query);
  const edit = useEdit(query);
  const changeRange = (range: TimeRange) => {
    const next = { ...writeRange(range), logspace: logspace || undefined };
    if (!setsRange) change(next);
    // A range that is chosen here takes the place of the one in the query.
    else edit([{ op: 'set_range' }], (q) => change({ ...next, q: q || undefined }));
  };
  return (
    <div className={classes.scope} role="group" aria-label="Scope">
      {kind !== 'range' && (logspaces.length > 1 || chosen.length > 0) && (
        <LogspacePicker
          logspaces={logspaces}
          chosen={chosen}
          onChange={(ids) => change({ from, to, logspace: ids.join(',') || undefined })}
        />
      )}
      {kind !== 'logspaces' && (
        <RangeBar range={readRange(from, to)} isInQuery={setsRange} onChange={changeRange} />
      )}
    </div>
  );
}

type RangeProps = {
  range: TimeRange;
  /** Whether the query names its own. */
  isInQuery: boolean;
  onChange: (range: TimeRange) => void;
};

/** The range, and the steps from it that need no choosing. */
function RangeBar({ range, isInQuery, onChange }: RangeProps) {
  const trail = useRangeTrail(range);
  const step = (next: TimeRange | null | undefined) => {
    if (next != null) onChange(next);
  };
  const earlier = () => step(shift(range, -1, Date.now()));
  const later = () => step(shift(range, 1, Date.now()));
  const wider = () => step(zoomOut(range, Date.now()));
  const back = () => step(canGoBack(trail) ? trail.at(-2) : null);
  const group = 'Time range';
  useCommands([
    { id: 'earlier', title: 'Earlier, by the length of the range', keys: '[', group, run: earlier },
    { id: 'later', title: 'Later, by the length of the range', keys: ']', group, run: later },
    { id: 'zoom-out', title: 'Zoom out: twice as long', keys: '-', group, run: wider },
    { id: 'zoom-back', title: 'Back to the range before', keys: 'z', group, run: back },
  ]);
  const hasBeginning = range.kind === 'last' || (range.kind === 'between' && range.from !== null);
  return (
    <div className={classes.range}>
      <Step label="Earlier" keys="[" disabled={!hasBeginning} onClick={earlier}>
        <IconChevronLeft size={16} />
      </Step>
      <RangePicker range={range} isInQuery={isInQuery} onChange={onChange} />
      <Step label="Later" keys="]" disabled={!hasBeginning} onClick={later}>
        <IconChevronRight size={16} />
      </Step>
      <Step label="Zoom out" keys="-" disabled={!hasBeginning} onClick={wider}>
        <IconZoomOut size={16} />
      </Step>
      <Step label="Back to the range before" keys="z" disabled={!canGoBack(trail)} onClick={back}>
        <IconArrowBackUp size={16} />
      </Step>
    </div>
  );
}

type StepProps = {
  label: string;
  keys: string;
  disabled: boolean;
  onClick: () => void;
  children: ReactNode;
};

function Step({ label, keys, disabled, onClick, children }: StepProps) {
  return (
    <Tooltip label={`${label} (${keys})`}>
      {/* Not `disabled`: the focus would be lost with the last step. */}
      <ActionIcon
        size={32}
        aria-label={label}
        className={classes.step ?? ''}
        aria-disabled={disabled}
        onClick={() => {
          if (!disabled) onClick();
        }}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
