/** The scope in the address, which is kept from page to page: the logspaces and the time range. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from '@mantine/core';
import {
  IconArrowBackUp,
  IconChevronLeft,
  IconChevronRight,
  IconZoomOut,
} from '@tabler/icons-react';
import { useEffect, useSyncExternalStore } from 'react';
import { logspacesQuery } from '../api/logspaces';
import { LogspacePicker } from '../ui/picker/LogspacePicker';
import { RangePicker } from '../ui/picker/RangePicker';
import { useEdit } from '../ui/query/useEdit';
import { useSetsRange } from '../ui/query/useReading';
import { type TimeRange, readRange, shift, writeRange, zoomOut } from '../ui/range';
import { useCommands } from '../ui/commands';
import { type Trail, canGoBack, walked } from './scope';
import classes from './RangeSteps.module.css';

type Params = Record<string, string | undefined>;

/** The choice of logspaces; not shown if there is only one. */
export function LogspaceScope() {
  const { data: logspaces = [] } = useQuery(logspacesQuery);
  const { logspace = '' } = useParams();
  const change = useChange();
  const chosen = logspace.split(',').filter((id) => id !== '');
  if (logspaces.length < 2 && chosen.length === 0) return null;
  return (
    <LogspacePicker
      logspaces={logspaces}
      chosen={chosen}
      onChange={(ids) => change({ logspace: ids.join(',') || undefined })}
    />
  );
}

/**
 * The choice of the time range. `query` may name a range of its own, which a range chosen here
 * replaces.
 */
export function RangeScope({ query = '' }: { query?: string }) {
  const { from, to } = useParams();
  const change = useChange();
  const isInQuery = useSetsRange(query);
  const edit = useEdit(query);
  const choose = (range: TimeRange) => {
    const { from: start, to: end } = writeRange(range);
    const next = { from: start, to: end };
    if (!isInQuery) change(next);
    else edit([{ op: 'set_range' }], (q) => change({ ...next, q: q || undefined }));
  };
  const range = readRange(from, to);
  const steps = useRangeSteps({ range, onChange: choose });
  return (
    <RangePicker
      range={range}
      isInQuery={isInQuery}
      steps={<RangeSteps steps={steps} />}
      undo={steps.find(({ id, isOff }) => id === 'zoom-back' && !isOff)?.run}
      onChange={choose}
    />
  );
}

function useParams(): Params {
  return useSearch({ strict: false });
}

/** Changes the address and closes the open message, which may not be in the new scope. */
function useChange(): (part: Params) => void {
  const params = useParams();
  const navigate = useNavigate();
  return (part) => void navigate({ to: '.', search: { ...params, ...part, open: undefined } });
}

type Props = { range: TimeRange; onChange: (range: TimeRange) => void };

/** Binds the keys for them; used wherever a range can be chosen. */
function useRangeSteps({ range, onChange }: Props) {
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

type RangeStep = ReturnType<typeof useRangeSteps>[number];

/** The buttons that change the time range in one step. */
function RangeSteps({ steps }: { steps: readonly RangeStep[] }) {
  return (
    <div className={classes.steps} role="group" aria-label="Move the range">
      {steps.map(({ id, title, keys, Icon, isOff, run }) => (
        <Button
          key={id}
          className={classes.step ?? ''}
          leftSection={<Icon size={16} />}
          title={`${title} (${keys})`}
          // This is not `disabled`, as the focus would be lost after the last step.
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

let trail: Trail = [];
const listeners = new Set<() => void>();

/**
 * The ranges that were looked at in this tab. Here, not in a component, for it outlives the pages.
 * The trail with `range`, however it came to be shown, at its end.
 */
function useRangeTrail(range: TimeRange): Trail {
  const walkedSoFar = useSyncExternalStore(listen, () => trail);
  const key = JSON.stringify(range);
  useEffect(() => {
    const next = walked(trail, range);
    if (next === trail) return;
    trail = next;
    for (const listener of listeners) listener();
    // The key's text stands for the range, which is a new object every time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key]);
  return walkedSoFar;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
