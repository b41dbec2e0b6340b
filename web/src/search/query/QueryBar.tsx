/**
 * The query bar: the logspaces, the query, and the range. The query shows its clauses as tokens,
 * but only the text counts.
 */
import { Button, Popover, Tooltip, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconHelpCircle, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, memo, useEffect, useMemo, useRef, useState } from 'react';
import { problemOf } from '../../api/client';
import { completeIn } from '../../api/query';
import { IconButton } from '../../ui/IconButton';
import { QueryField, type QueryFieldHandle, type QueryMark } from '../../ui/query/QueryField';
import { useClauseActions, useClauses } from '../../ui/query/useClauses';
import { requestRange } from '../../ui/range';
import { useKeys } from '../../ui/useKeys';
import { type SearchState, writeSearch } from '../searchParams';
import { OffClauses } from '../../ui/query/OffClauses';
import { costReason, explainQuery } from './explain';
import classes from './QueryBar.module.css';
import { address } from '../../ui/open';
import { lazyPart } from '../../api/code';
import { useCommands } from '../../ui/commands';
import type { ExplainResult } from '../../api/model';
import helpClasses from './Help.module.css';
import hintsClasses from './Hints.module.css';

type Props = {
  state: SearchState;
  /** The error of the last run, which is shown at its position in the query. */
  error?: Error | null;
  /** The pickers of logspaces and of the range. */
  logspaces?: ReactNode;
  range?: ReactNode;
  /** The button for the fields, if they have no room of their own. */
  fields?: ReactNode;
  onRun: (query: string) => void;
  onChange: (part: Partial<SearchState>) => void;
};

/** The time after the last key press before the problem of a query is shown. */
const TYPING_REST_MS = 300;

export const QueryBar = memo(function QueryBar(props: Props) {
  const { state, error = null, logspaces, range, fields, onRun, onChange } = props;
  const { draft, setDraft, setAsked } = useDraft(state.query);
  const field = useRef<QueryFieldHandle>(null);
  useKeys({
    '/': { does: 'Go to the query', run: () => field.current?.focus() },
    Enter: { does: 'Run the query' },
    'Mod-Enter': { does: 'Run the query in a new tab' },
    'Shift-Enter': { does: 'New line in the query' },
    'Alt-ArrowUp': { does: 'Previous query in the history' },
    Tab: { does: 'Accept the suggestion' },
    Escape: { does: 'Leave the query' },
  });
  const isDraft = draft.trim() !== state.query;
  const problems = useMemo(() => marksOf(isDraft ? null : error), [isDraft, error]);
  const clauses = useClauses(draft);
  const run = (newTab: boolean) => {
    const query = draft.trim();
    if (newTab) {
      window.open(addressOf({ ...state, query, open: null }), '_blank', 'noopener');
      return;
    }
    setAsked(query);
    onRun(query);
  };
  const act = useClauseActions(
    draft,
    field,
    (query) => onChange({ query }),
    (query, part) => onChange({ query, off: [...state.off, part] }),
  );
  const clear = () => {
    setDraft('');
    field.current?.focus();
  };
  return (
    <div role="search" aria-label="Messages" className="strip alignStart relative">
      <div className={classes.box}>
        <span className={classes.scope}>{logspaces}</span>
        <QueryField
          ref={field}
          isBare
          placeholder='Words, "a phrase", or a field: host=edge-01 severity>=warning'
          value={draft}
          problems={problems}
          clauses={clauses}
          complete={completeIn({ ...requestRange(state.range), logspaces: state.logspaces })}
          onClause={act}
          onChange={setDraft}
          onRun={run}
        />
        <OffClauses state={state} onChange={onChange} />
        <Slow state={state} />
        <Help state={state} onUse={onRun} />
        {draft !== '' && (
          <Tooltip label="Clear the query">
            <IconButton icon={IconX} size={32} label="Clear the query" onClick={clear} />
          </Tooltip>
        )}
      </div>
      {range}
      {fields !== undefined && <div className={classes.fields}>{fields}</div>}
      <Button variant="filled" className={classes.run ?? ''} size="sm" onClick={() => run(false)}>
        Search
      </Button>
      {isDraft && <Hint state={state} draft={draft.trim()} onUse={onRun} />}
    </div>
  );
});

type HintProps = { state: SearchState; draft: string; onUse: (query: string) => void };

function Hint({ state, draft, onUse }: HintProps) {
  const [rested] = useDebouncedValue(draft, TYPING_REST_MS);
  const { data, error } = useQuery(explainQuery(rested, state));
  const isCurrent = rested === draft && draft !== '';
  if (!isCurrent || (error === null && (data?.warnings ?? []).length === 0)) return null;
  return (
    <div className={classes.hint}>
      <Hints explained={data} error={error} onUse={onUse} />
    </div>
  );
}

function Slow({ state }: { state: SearchState }) {
  const { data } = useQuery(explainQuery(state.query, state));
  if (data === undefined) return null;
  return (
    <span className={classes.slow}>
      <SlowSign explained={data} />
    </span>
  );
}

function marksOf(error: Error | null): QueryMark[] {
  if (error === null) return [];
  const { line, column, end_column, title, detail } = problemOf(error);
  return [{ line, column, end_column, message: detail ?? title }];
}

function addressOf(state: SearchState): string {
  return address('/search', writeSearch(state));
}

const HelpContent = lazyPart(() => import('./HelpContent'), 'HelpContent');

type HelpProps = { state: SearchState; onUse: (query: string) => void };

/** The button for help with queries. */
function Help({ state, onUse }: HelpProps) {
  const [opened, setOpened] = useState(false);
  useCommands([{ id: 'query-help', title: 'Query help', keys: 'F1', run: () => setOpened(true) }]);
  const use = (query: string) => {
    setOpened(false);
    onUse(query);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label="Query help (F1)" disabled={opened}>
          <IconButton
            icon={IconHelpCircle}
            size={32}
            label="Query help"
            onClick={() => setOpened(!opened)}
          />
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Query help" className={helpClasses.help ?? ''}>
        {opened && (
          <Suspense>
            <HelpContent state={state} onUse={use} />
          </Suspense>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

const KEY = 'logstead-draft';

type Draft = {
  draft: string;
  setDraft: (text: string) => void;
  /** Sets the query that the draft was run as. */
  setAsked: (query: string) => void;
};

/**
 * The query that is being written. It outlives a reload and a new login, and gives way only to another query: not to
 * the one that it was sent as, which comes a moment later, when the user may be typing on.
 */
function useDraft(query: string): Draft {
  const [draft, setDraft] = useState(() => readDraft(query));
  const [known, setKnown] = useState(query);
  const [asked, setAsked] = useState<string | null>(null);
  if (known !== query) {
    setKnown(query);
    setAsked(null);
    if (asked !== query || draft.trim() === query) setDraft(query);
  }
  useEffect(() => {
    if (draft === query) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify([query, draft]));
  }, [draft, query]);
  return { draft, setDraft, setAsked };
}

/** Reads the draft for the query that it was made from. */
function readDraft(query: string): string {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    if (!Array.isArray(kept) || kept[0] !== query || typeof kept[1] !== 'string') return query;
    return kept[1];
  } catch {
    return query;
  }
}

type HintsProps = {
  explained: ExplainResult | undefined;
  error: Error | null;
  onUse: (query: string) => void;
};

/**
 * The server's hints about a query while it is typed: warnings with their remedy, and that it is
 * slow. One at a time: the first one is what is in the way.
 */
function Hints({ explained, error, onUse }: HintsProps) {
  const [warning, ...more] = explained?.warnings ?? [];
  if (warning === undefined) {
    return <p className={hintsClasses.hint}>{error?.message}</p>;
  }
  const { message, suggestion } = warning;
  return (
    <p className={hintsClasses.hint} role="status">
      <IconAlertTriangle className="caution" size={14} aria-hidden />
      <span className="ellipsis ink" title={message}>
        {message}
      </span>
      {more.length > 0 && <span className="rigid">and {more.length} more</span>}
      {suggestion !== undefined && (
        <UnstyledButton className={hintsClasses.fix} onClick={() => onUse(suggestion)}>
          Search for <code>{suggestion}</code>
        </UnstyledButton>
      )}
    </p>
  );
}

/** Shown only for slow queries: there is nothing to say about the others. */
export function SlowSign({ explained }: { explained: ExplainResult }) {
  const { cost } = explained;
  if (cost === 'instant' || cost === 'quick') return null;
  const word = cost === 'slow' ? 'Slow' : 'Very slow';
  const reason = costReason(explained);
  return (
    <Tooltip label={reason} multiline maw={320} position="bottom-end">
      <span
        className={hintsClasses.cost}
        data-cost={cost}
        role="note"
        // This makes the reason readable without a mouse as well.
        tabIndex={0}
        aria-label={`${word}: ${reason}`}
      >
        {word}
      </span>
    </Tooltip>
  );
}
