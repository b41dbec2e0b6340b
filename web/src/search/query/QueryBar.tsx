/** Where the query is written. Below it stands how the server reads it: its clauses, hints and cost. */
import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { problemOf } from '../../api/client';
import { completeIn } from '../../api/complete';
import { QueryField, type QueryFieldHandle, type QueryMark } from '../../ui/query/QueryField';
import { requestRange } from '../../ui/range';
import { useKeys } from '../../ui/useKeys';
import { Clauses } from './Clauses';
import { CostDot, Examples, Hints } from './Hints';
import { explainQuery } from './explain';
import { type SearchState, writeSearch } from '../searchParams';
import { useDraft } from './useDraft';
import classes from './QueryBar.module.css';

type Props = {
  state: SearchState;
  /** Why the last run failed, to be shown at its place. */
  error?: Error | null;
  onRun: (query: string) => void;
  onChange: (part: Partial<SearchState>) => void;
};

const TYPING_REST_MS = 300;

export function QueryBar({ state, error = null, onRun, onChange }: Props) {
  const [draft, setDraft] = useDraft(state.query);
  const field = useRef<QueryFieldHandle>(null);
  useKeys({
    '/': { does: 'Go to the query', run: () => field.current?.focus() },
    Enter: { does: 'Run the query' },
    'Mod-Enter': { does: 'Run the query in a new tab' },
    'Shift-Enter': { does: 'New line in the query' },
    'Alt-ArrowUp': { does: 'The query before in the history' },
    Tab: { does: 'Take the suggestion' },
    Escape: { does: 'Leave the query' },
  });
  const isDraft = draft.trim() !== state.query;
  const problems = useMemo(() => marksOf(isDraft ? null : error), [isDraft, error]);
  const run = (newTab: boolean) => {
    const query = draft.trim();
    if (newTab) window.open(addressOf({ ...state, query, open: null }), '_blank', 'noopener');
    else onRun(query);
  };
  return (
    <div role="search" aria-label="Messages">
      <div className={classes.bar}>
        <IconSearch className={classes.icon} size={16} aria-hidden />
        <QueryField
          ref={field}
          placeholder='Words, "a phrase", host:web*'
          value={draft}
          problems={problems}
          complete={completeIn({ ...requestRange(state.range), logspaces: state.logspaces })}
          onChange={setDraft}
          onRun={run}
        />
        <Button className={classes.run ?? ''} size="sm" onClick={() => run(false)}>
          Search
        </Button>
      </div>
      <Below
        state={state}
        draft={draft.trim()}
        onUse={onRun}
        onChange={onChange}
        onEdit={(start, end) => field.current?.select(start, end)}
      />
    </div>
  );
}

type BelowProps = {
  state: SearchState;
  draft: string;
  onUse: (query: string) => void;
  onChange: Props['onChange'];
  onEdit: (start: number, end: number) => void;
};

/** One row, always as high, so that nothing moves while one writes. */
function Below({ state, draft, onUse, onChange, onEdit }: BelowProps) {
  const [rested] = useDebouncedValue(draft, TYPING_REST_MS);
  const asked = draft === state.query ? draft : rested;
  const { data, error } = useQuery(explainQuery(asked, state));
  const isBare = draft === '' && state.off.length === 0;
  return (
    <div className={classes.below}>
      {isBare && <Examples onUse={onUse} />}
      {!isBare && draft === state.query && (
        <Clauses state={state} explained={data} onChange={onChange} onEdit={onEdit} />
      )}
      {draft !== state.query && draft !== '' && (
        <Hints explained={asked === draft ? data : undefined} error={error} onUse={onUse} />
      )}
      {draft !== '' && data !== undefined && <CostDot explained={data} />}
    </div>
  );
}

function marksOf(error: Error | null): QueryMark[] {
  if (error === null) return [];
  const { line, column, end_column, title, detail } = problemOf(error);
  return [{ line, column, end_column, message: detail ?? title }];
}

function addressOf(state: SearchState): string {
  return `/search?${new URLSearchParams(writeSearch(state)).toString()}`;
}
