/** What every page that looks at messages has in common: the stretch of time and the logspaces, kept from page to page. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { logspacesQuery } from '../api/logspaces';
import { LogspacePicker } from '../ui/LogspacePicker';
import { RangePicker } from '../ui/RangePicker';
import { readRange, writeRange } from '../ui/range';
import classes from './Shell.module.css';

export function ScopeBar() {
  const { data: logspaces = [] } = useQuery(logspacesQuery);
  const params: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { from, to, logspace = '', ...others } = params;
  const chosen = logspace.split(',').filter((id) => id !== '');
  const change = (next: Record<string, string | undefined>) =>
    void navigate({ to: '.', search: { ...others, ...next, open: undefined } });
  return (
    <div className={classes.scope}>
      {logspaces.length > 1 && (
        <LogspacePicker
          logspaces={logspaces}
          chosen={chosen}
          onChange={(ids) => change({ from, to, logspace: ids.join(',') || undefined })}
        />
      )}
      <RangePicker
        range={readRange(from, to)}
        onChange={(range) => change({ ...writeRange(range), logspace: logspace || undefined })}
      />
    </div>
  );
}
