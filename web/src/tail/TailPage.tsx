/** Shows messages as they are stored: up to four tails side by side. */
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { lazyPart } from '../api/code';
import type { Message, QueryEdit } from '../api/model';
import type { MessageState } from '../messages/messageState';
import { useCommands } from '../ui/commands';
import { useBrowserState } from '../ui/useBrowserState';
import { Notice } from '../ui/Notice';
import { useOpen } from '../ui/open';
import { splitStages } from '../ui/query/lexer';
import { useHits } from '../ui/query/useReading';
import { Facets } from '../messages/facets/Facets';
import { countsQuery } from '../messages/facets/facetQueries';
import { useEdit } from '../ui/query/useEdit';
import { TailPane } from './TailPane';
import { Highlights, Tools, ViewMenu } from './Tools';
import { TAILS_MAX, type TailState, searchLink } from './tailParams';
import { useNotifications } from './useNotifications';
import classes from './TailPage.module.css';

/** Loaded when the first message is opened. */
const Drawer = lazyPart(() => import('../messages/drawer/Drawer'), 'Drawer');

/** The range over which the fields beside the tails are counted. */
const LAST_MINUTES = { kind: 'last', span: '15m' } as const;
/** The size below which the fields have no room beside the messages. */
const SMALL = '(max-width: 960px), (max-height: 639px)';

type Props = {
  state: TailState;
  /** The logspace picker. */
  logspaces?: ReactNode;
  /** `replace` adds no entry to the browser's history. */
  onChange: (state: TailState, replace?: boolean) => void;
};

export function TailPage({ state, logspaces: picker, onChange }: Props) {
  const { queries, logspaces, highlights, view, columns, open } = state;
  /** The tail that the user last acted in: the fields are those of its messages. */
  const [turnedTo, turnTo] = useState(0);
  const active = Math.min(turnedTo, queries.length - 1);
  const { tell, ...notifications } = useNotifications();
  const controls = useControls(state, onChange);
  const { paused, wrap, panes, resume } = controls;
  const openPage = useOpen();
  const isSmall = useMediaQuery(SMALL, false, { getInitialValueInEffect: false });
  const show = (part: Partial<TailState>) => onChange({ ...state, ...part }, true);
  const ask = (at: number, { query, off }: { query?: string; off?: readonly string[] }) => {
    const next = query ?? queries[at] ?? '';
    // A tail shows messages; tables are shown by Search.
    if (splitStages(next).stages !== '') {
      openPage(searchLink(next, logspaces));
      return;
    }
    // The lines were paused; a new query begins with the newest ones.
    resume();
    panes.shown[at]?.follow(true);
    onChange({
      ...state,
      queries: queries.with(at, next),
      off: off === undefined ? state.off : state.off.with(at, off),
    });
  };
  const close = (at: number) => {
    panes.remove(at);
    onChange({ ...state, queries: queries.toSpliced(at, 1), off: state.off.toSpliced(at, 1) });
  };
  const onColumns = (chosen: readonly string[]) => show({ columns: chosen });
  const stateOf = (at: number): MessageState => ({
    ...state,
    query: queries[at] ?? '',
    range: LAST_MINUTES,
  });
  const showPart = ({ columns, facets, open, tab, view }: Partial<MessageState>) =>
    show({
      ...(columns !== undefined && { columns }),
      ...(facets !== undefined && { facets }),
      ...(open !== undefined && { open }),
      ...(tab !== undefined && { tab }),
      ...(view !== undefined && { view }),
    });
  const [listed, setListed] = useState<Listed>({ at: 0, messages: [] });
  const fields = (
    <TailFields
      state={stateOf(active)}
      paused={paused}
      onQuery={(query) => ask(active, { query })}
      onChange={showPart}
    />
  );
  return (
    <div className="stack minHeight0 fullHeight">
      <h1 className="unseen">Tail</h1>
      <p className="unseen" role="status">
        {paused ? 'Paused' : ''}
      </p>
      <div className={classes.bar}>
        {picker}
        <div className={classes.highlights}>
          <Highlights state={state} onChange={onChange} />
        </div>
        {isSmall && <div className={classes.fields}>{fields}</div>}
        <Tools {...controls} notifications={{ ...notifications, tell }}>
          <ViewMenu
            view={view}
            wrap={wrap}
            onView={(chosen) => show({ view: chosen })}
            onWrap={controls.toggleWrap}
          />
        </Tools>
      </div>
      {notifications.problem !== null && <Notice tone="caution" title={notifications.problem} />}
      <div className="flex grow minHeight0">
        {!isSmall && fields}
        <div className={classes.panes} data-count={queries.length}>
          {panes.shown.map((pane, at) => (
            <TailPane
              key={pane.id}
              query={queries[at] ?? ''}
              off={state.off[at] ?? NOTHING_OFF}
              logspaces={logspaces}
              highlights={highlights}
              number={queries.length === 1 ? null : at + 1}
              list={{ view, columns, open, wrap, onColumns }}
              paused={paused}
              following={pane.following}
              cleared={controls.cleared}
              onFollow={pane.follow}
              onResume={resume}
              onAsk={(part) => ask(at, part)}
              onOpen={(id, messages, tab) => {
                setListed({ at, messages });
                if (tab !== undefined) show({ open: id, tab });
                else show({ open: id === open ? null : id });
              }}
              onTurnTo={() => turnTo(at)}
              onClose={queries.length === 1 ? undefined : () => close(at)}
              onMatch={tell}
            />
          ))}
        </div>
        {open !== null && (
          <OpenMessage
            state={stateOf(Math.min(listed.at, queries.length - 1))}
            id={open}
            messages={listed.messages}
            onAsk={(query) => ask(listed.at, { query })}
            onChange={showPart}
          />
        )}
      </div>
    </div>
  );
}

/** The controls for all tails at once, and the commands for them. */
function useControls(state: TailState, onChange: Props['onChange']) {
  const { queries, off } = state;
  const [paused, setPaused] = useState(false);
  const [cleared, setCleared] = useState(0);
  const panes = usePanes(queries.length);
  const [wrap, setWrap] = useBrowserState({ key: 'logstead-tail-wrap', defaultValue: false });
  const following = panes.shown.every((pane) => pane.following);
  const pause = () => setPaused((was) => !was);
  const clear = () => setCleared((times) => times + 1);
  const followAll = () => panes.followAll(!following);
  const toggleWrap = () => setWrap((was) => !was);
  const resume = useCallback(() => setPaused(false), []);
  const split = () =>
    onChange({ ...state, queries: [...queries, queries.at(-1) ?? ''], off: [...off, []] });
  const canSplit = queries.length < TAILS_MAX;
  useCommands([
    { id: 'tail-pause', title: 'Pause or resume', keys: 'Space', run: pause },
    { id: 'tail-follow', title: 'Follow the newest, or stop', keys: 'f', run: followAll },
    { id: 'tail-clear', title: 'Clear', keys: 'Ctrl-l', run: clear },
    { id: 'tail-wrap', title: 'Wrap long messages, or not', keys: 'w', run: toggleWrap },
    ...(canSplit ? [{ id: 'tail-split', title: 'Split the tail', run: split }] : []),
  ]);
  return {
    ...{ panes, paused, following, cleared, wrap, toggleWrap, resume },
    onPause: pause,
    onFollow: followAll,
    onClear: clear,
    /** Undefined at the maximum number of tails. */
    onSplit: canSplit ? split : undefined,
  };
}

const NOTHING_OFF: readonly string[] = [];

/** The messages in the list of a tail when one of them was opened. */
type Listed = { at: number; messages: readonly Message[] };

type OpenMessageProps = {
  state: MessageState;
  id: string;
  messages: readonly Message[];
  onAsk: (query: string) => void;
  onChange: (part: Partial<MessageState>) => void;
};

function OpenMessage({ state, id, messages, onAsk, onChange }: OpenMessageProps) {
  const hits = useHits(state.query);
  const ask = useMemo(
    () => (part: Partial<MessageState>) => part.query !== undefined && onAsk(part.query),
    [onAsk],
  );
  return (
    <Suspense>
      <Drawer {...{ state, id, messages, hits }} onAsk={ask} onChange={onChange} />
    </Suspense>
  );
}

/** The interval between counts: counting is work for the server, and the eye needs no more. */
const REFRESH_MS = 10_000;

type TailFieldsProps = {
  state: MessageState;
  paused: boolean;
  onQuery: (query: string) => void;
  onChange: (part: Partial<MessageState>) => void;
};

/** The fields of the matches of the last minutes, beside the tails. */
function TailFields({ state, paused, onQuery, onChange }: TailFieldsProps) {
  const edit = useEdit(state.query);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...countsQuery(state),
    refetchInterval: paused ? false : REFRESH_MS,
  });
  return (
    <Facets
      state={state}
      facets={data}
      stale={isPlaceholderData}
      error={error}
      onRetry={() => void refetch()}
      onEdit={(edits: readonly QueryEdit[]) => edit(edits, onQuery)}
      onChange={onChange}
    />
  );
}

type Pane = { id: number; following: boolean; follow: (following: boolean) => void };

type Panes = {
  shown: readonly Pane[];
  followAll: (following: boolean) => void;
  remove: (at: number) => void;
};

const initialIds: readonly number[] = Array.from({ length: TAILS_MAX }, (_, id) => id);

/**
 * The panes of the page, and which of them are followed. A tail keeps its identity when one before it is closed, and
 * with that its lines.
 */
function usePanes(count: number): Panes {
  /**
   * An identity for every possible tail; those of closed tails move to the end, and are replaced by
   * new ones.
   */
  const [ids, setIds] = useState(initialIds);
  const [stopped, setStopped] = useState<ReadonlySet<number>>(new Set());
  const follow = useCallback(
    (id: number, following: boolean) =>
      setStopped((known) => {
        if (known.has(id) !== following) return known;
        const next = new Set(known);
        if (following) next.delete(id);
        else next.add(id);
        return next;
      }),
    [],
  );
  const follows = useMemo(
    () => new Map(ids.map((id) => [id, (following: boolean) => follow(id, following)])),
    [ids, follow],
  );
  return {
    shown: ids.slice(0, count).map((id) => ({
      id,
      following: !stopped.has(id),
      follow: follows.get(id) ?? (() => undefined),
    })),
    followAll: (following) => setStopped(new Set(following ? [] : ids)),
    remove: (at) => setIds((known) => [...known.toSpliced(at, 1), Math.max(...known) + 1]),
  };
}
