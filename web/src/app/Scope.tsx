/** The scope as the address says it: which logspaces and which stretch of time, kept from page to page. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { logspacesQuery } from '../api/logspaces';
import { LogspacePicker } from '../ui/picker/LogspacePicker';
import { RangePicker } from '../ui/picker/RangePicker';
import { useEdit } from '../ui/query/useEdit';
import { useSetsRange } from '../ui/query/useReading';
import { type TimeRange, readRange, writeRange } from '../ui/range';
import { RangeSteps, useRangeSteps } from './RangeSteps';

type Params = Record<string, string | undefined>;

/** Nothing where there is nothing to choose from. */
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

/** `query` may name a range of its own; one that is chosen here takes its place. */
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

/** An open message may not be in what is asked for then. */
function useChange(): (part: Params) => void {
  const params = useParams();
  const navigate = useNavigate();
  return (part) => void navigate({ to: '.', search: { ...params, ...part, open: undefined } });
}
