/**
 * The page before a search: an overview of the range, and four answers that lead to their messages
 * in one click.
 */
import { Button, Skeleton, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { IconChartBar, IconCircleX, IconClock, IconSparkles } from '@tabler/icons-react';
import { formatCount, formatMessages } from '../../ui/number';
import { useEdit } from '../../ui/query/useEdit';
import { presets, rangeLabel } from '../../ui/range';
import { formatAge, useZone } from '../../ui/time';
import { useKeys } from '../../ui/useKeys';
import type { SearchState } from '../searchParams';
import { Spark } from '../../ui/chart/Spark';
import { noteUse, savedSearchesQuery } from '../../api/savedSearches';
import { useQueryHistory } from '../../ui/query/history';
import { useIsAway } from '../../api/freshness';
import { KeyCaps } from '../../ui/KeyCaps';
import { Notice } from '../../ui/Notice';
import type { Histogram, QueryEdit } from '../../api/model';
import { opened } from '../saved/saved';
import {
  type Change,
  type CountedValue,
  changeOf,
  newValues,
  seriesOf,
  shareOf,
  silentHosts,
} from './answers';
import {
  ERRORS,
  beforeQuery,
  lastHeardQuery,
  latelyQuery,
  nowQuery,
  overTimeQuery,
} from './blankQueries';
import { rangeBefore, silenceOf } from './ranges';
import classes from './Blank.module.css';

type Props = {
  state: SearchState;
  onAsk: (part: Partial<SearchState>) => void;
  /** The first part of the page, if there is anything to show. */
  children?: ReactNode;
};

export function BlankPage({ state, onAsk, children }: Props) {
  const edit = useEdit('');
  const go: Go = (...edits) => edit(edits, (query) => onAsk({ query }));
  const showAll = () => onAsk({ query: '*' });
  useKeys({ '*': { does: 'Show all messages', run: showAll } });
  return (
    <div className={classes.page}>
      <div className={classes.inner}>
        {children}
        <Whole state={state} onShowAll={showAll} />
        <div className={classes.cards}>
          <TopErrors state={state} go={go} />
          <NewPrograms state={state} go={go} />
          <SilentHosts state={state} go={go} />
          <NoisiestHost state={state} go={go} />
        </div>
        <RecentSearches onAsk={onAsk} state={state} />
      </div>
    </div>
  );
}

type WholeProps = Pick<Props, 'state'> & { onShowAll: () => void };

function Whole({ state, onShowAll }: WholeProps) {
  const [zone] = useZone();
  const { data: all } = useQuery(overTimeQuery(state, '*', 'host'));
  const { data: values } = useQuery(nowQuery(state));
  const { kind } = state.range;
  const label = rangeLabel(state.range, zone);
  const hosts = values?.host.filter(({ value }) => value !== '').length;
  return (
    <div className={classes.top}>
      <div>
        <h2>{kind === 'last' ? `The ${label.toLowerCase()}` : label}</h2>
        <p>
          {all === undefined || hosts === undefined
            ? 'Counting…'
            : `${formatMessages(all.total)} from ${formatCount(hosts)} ${hosts === 1 ? 'host' : 'hosts'}.`}{' '}
          Open an answer, or just type.
        </p>
      </div>
      <Button ml="auto" onClick={onShowAll}>
        Show all messages
      </Button>
      {all !== undefined && all.total > 0 && (
        <div className={classes.whole}>
          <Spark counts={seriesOf(all)} isLarge />
        </div>
      )}
    </div>
  );
}

/** The programs with the most errors, and whether they have more of them than before. */
function TopErrors({ state, go }: AnswerProps) {
  const { data, error, refetch } = useQuery(overTimeQuery(state, ERRORS, 'program'));
  const { data: before } = useQuery(beforeQuery(state, ERRORS));
  const all = () => go({ op: 'add', text: ERRORS });
  useKeys({ 'Alt-1': { does: 'Top errors', run: all } });
  const first = data?.values?.[0];
  return (
    <Card
      title="Top errors"
      icon={<IconCircleX size={16} />}
      keys="Alt-1"
      figure={data && formatCount(data.total)}
      says={
        first === undefined
          ? 'errors in this range'
          : `errors, ${formatCount(first.count)} of them from ${first.value || '(empty)'}`
      }
      error={error}
      onRetry={() => void refetch()}
      foot={
        data !== undefined && data.total > 0
          ? { text: `Show the ${formatCount(data.total)} errors`, onOpen: all }
          : undefined
      }
    >
      <TopRows
        counted={data}
        before={before?.program}
        tone="error"
        onOpen={(value) =>
          go({ op: 'add', text: ERRORS }, { op: 'include', field: 'program', value })
        }
      />
      {data?.total === 0 && <p className={classes.none}>No errors.</p>}
    </Card>
  );
}

/** Programs that sent nothing in the previous range: they were installed, renamed or broken. */
function NewPrograms({ state, go }: AnswerProps) {
  const now = useQuery(nowQuery(state));
  const before = useQuery(beforeQuery(state));
  const { data: overTime } = useQuery(overTimeQuery(state, '*', 'program'));
  const canCompare = rangeBefore(state.range) !== null;
  const isKnown = now.data !== undefined && before.data !== undefined;
  const found = isKnown ? newValues(now.data.program, before.data.program) : [];
  const all = () => go({ op: 'top', field: 'program', count: 20 });
  useKeys({ 'Alt-2': { does: 'New programs', run: all } });
  return (
    <Card
      title="New programs"
      icon={<IconSparkles size={16} />}
      keys="Alt-2"
      figure={canCompare ? (isKnown ? formatCount(found.length) : undefined) : '–'}
      says={
        canCompare
          ? 'not seen in the range before'
          : 'This range has none before it to compare with.'
      }
      error={now.error ?? before.error}
      onRetry={() => void Promise.all([now.refetch(), before.refetch()])}
      foot={{ text: 'Count all programs', onOpen: all }}
    >
      {found.slice(0, ROWS).map(({ value, count }) => (
        <CardRow
          key={value}
          name={value}
          count={count}
          counts={overTime === undefined ? [] : seriesOf(overTime, value)}
          change={null}
          onOpen={() => go({ op: 'include', field: 'program', value })}
        />
      ))}
      {canCompare && isKnown && found.length === 0 && (
        <p className={classes.none}>
          {now.data.program.length === 0
            ? 'No program is named in this range.'
            : 'Every program was there before, too.'}
        </p>
      )}
    </Card>
  );
}

/** Hosts that have stopped sending. */
function SilentHosts({ state, go }: AnswerProps) {
  const now = useQuery(nowQuery(state));
  const before = useQuery(beforeQuery(state));
  const lately = useQuery(latelyQuery(state));
  const silence = silenceOf(state.range);
  const isKnown = now.data !== undefined && lately.data !== undefined;
  const heard = [now.data?.host ?? [], before.data?.host ?? []];
  const silent = isKnown ? silentHosts(heard, lately.data.host) : [];
  const hosts = new Set(heard.flat().map(({ value }) => value)).size;
  const all = () => go({ op: 'top', field: 'host', count: 20 });
  useKeys({ 'Alt-3': { does: 'Silent hosts', run: all } });
  return (
    <Card
      title="Silent hosts"
      icon={<IconClock size={16} />}
      keys="Alt-3"
      figure={silence === null ? '–' : isKnown ? formatCount(silent.length) : undefined}
      says={
        silence === null
          ? 'Choose a range that ends now.'
          : `of ${formatCount(hosts)} sent nothing in the ${nameOf(silence)}`
      }
      error={now.error ?? lately.error}
      onRetry={() => void Promise.all([now.refetch(), lately.refetch()])}
      foot={{ text: 'Count all hosts', onOpen: all }}
    >
      {silent.slice(0, ROWS).map((host) => (
        <SilentRow
          key={host.value}
          host={host}
          state={state}
          onOpen={() => go({ op: 'include', field: 'host', value: host.value })}
        />
      ))}
      {isKnown && silent.length === 0 && silence !== null && (
        <p className={classes.none}>
          {hosts === 0 ? 'No host is named in this range.' : 'All hosts are sending.'}
        </p>
      )}
    </Card>
  );
}

type RowProps = Pick<AnswerProps, 'state'> & { host: CountedValue; onOpen: () => void };

function SilentRow({ host: { value, count }, state, onOpen }: RowProps) {
  const { data: heard, dataUpdatedAt } = useQuery(lastHeardQuery(state, value));
  return (
    <UnstyledButton className={classes.row} onClick={onOpen}>
      <span className="truncate" title={value}>
        {value}
      </span>
      <span className="dimmed">{formatMessages(count)}</span>
      <span />
      <span className={classes.change} data-tone="worse">
        {heard != null && formatAge(heard, dataUpdatedAt)}
      </span>
    </UnstyledButton>
  );
}

function nameOf(silence: string): string {
  const preset = presets.find(({ span }) => span === silence)?.label.toLowerCase();
  return preset ?? `last ${Number.parseInt(silence, 10)} minutes`;
}

/** The host that sends the most, and whether this is new. */
function NoisiestHost({ state, go }: AnswerProps) {
  const { data, error, refetch } = useQuery(overTimeQuery(state, '*', 'host'));
  const { data: before } = useQuery(beforeQuery(state));
  const first = data?.values?.[0];
  const open = (value: string) => go({ op: 'include', field: 'host', value });
  useKeys({ 'Alt-4': { does: 'Noisiest host', run: () => first && open(first.value) } });
  return (
    <Card
      title="Noisiest host"
      icon={<IconChartBar size={16} />}
      keys="Alt-4"
      figure={data && (first === undefined ? '–' : first.value || '(empty)')}
      says={
        data === undefined
          ? ''
          : first === undefined
            ? 'There is nothing to search in this range.'
            : `sends ${shareOf(first.count, data.total)} of everything, ${formatMessages(first.count)}`
      }
      error={error}
      onRetry={() => void refetch()}
      foot={
        first && {
          text: `What ${first.value || 'it'} is sending`,
          onOpen: () => open(first.value),
        }
      }
    >
      <TopRows counted={data} before={before?.host} onOpen={open} />
    </Card>
  );
}

type RecentSearchesProps = { state: SearchState; onAsk: (part: Partial<SearchState>) => void };

/** Searches to start with: saved ones, and those that were run in this browser before. */
function RecentSearches({ state, onAsk }: RecentSearchesProps) {
  const { data: saved = [] } = useQuery(savedSearchesQuery);
  const [recent] = useQueryHistory();
  return (
    <div className={classes.lists}>
      {saved.length > 0 && (
        <section className={classes.list} aria-label="Saved searches">
          <h2>Saved searches</h2>
          <ul>
            {saved.slice(0, ROWS).map((search) => (
              <li key={search.id}>
                <UnstyledButton
                  className={classes.past}
                  onClick={() => {
                    noteUse(search.id);
                    onAsk(opened(search, state));
                  }}
                >
                  <span>{search.name}</span>
                  <code className="truncate mono soft">{search.query}</code>
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </section>
      )}
      {recent.length > 0 && (
        <section className={classes.list} aria-label="Recent queries">
          <h2>Recent</h2>
          <ul>
            {recent.slice(0, ROWS).map((query) => (
              <li key={query}>
                <UnstyledButton className={classes.past} onClick={() => onAsk({ query })}>
                  <code className="truncate mono soft">{query}</code>
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

type Row = {
  name: string;
  count: number;
  counts: readonly number[];
  change: Change | null;
  onOpen: () => void;
};

type CardProps = {
  title: string;
  icon: ReactNode;
  keys: string;
  /** Undefined while it is loading. */
  figure: string | undefined;
  says: string;
  error: Error | null;
  onRetry: () => void;
  /** The link to all rows, if there is one. */
  foot?: { text: string; onOpen: () => void } | undefined;
  children: ReactNode;
};

/** One answer: a figure, the rows that it is made of, and a link to all of them. */
function Card(props: CardProps) {
  const { title, icon, keys, figure, says, error, onRetry, foot, children } = props;
  const isAway = useIsAway();
  const id = useId();
  return (
    <section className="stack panel round10" aria-labelledby={id}>
      <header className={classes.head}>
        {icon}
        <h2 id={id}>{title}</h2>
        <KeyCaps keys={keys} />
      </header>
      {isAway && <p className={classes.says}>Not known until the server answers.</p>}
      {!isAway && error !== null && (
        <div className={classes.says}>
          <Notice tone="error" title={error.message} onRetry={onRetry} />
        </div>
      )}
      {!isAway && error === null && figure === undefined && (
        <div className={classes.says} role="status" aria-label={`Loading ${title}`}>
          <Skeleton className={classes.late ?? ''} height={28} width={220} />
        </div>
      )}
      {!isAway && error === null && figure !== undefined && (
        <p className={classes.says}>
          <b>{figure}</b> {says}
        </p>
      )}
      {!isAway && error === null && <div className={classes.rows}>{children}</div>}
      {foot !== undefined && (
        <UnstyledButton className={classes.foot} onClick={foot.onOpen}>
          {foot.text} <span aria-hidden>→</span>
        </UnstyledButton>
      )}
    </section>
  );
}

type TopRowsProps = Pick<CardRowProps, 'tone'> & {
  counted: Histogram | undefined;
  /** The values in the range before, once they are known. */
  before: readonly CountedValue[] | undefined;
  onOpen: (value: string) => void;
};

/** The most frequent values, and whether there are more of them than before. */
function TopRows({ counted, before, onOpen, ...look }: TopRowsProps) {
  return counted?.values
    ?.slice(0, ROWS)
    .map(({ value, count }) => (
      <CardRow
        key={value}
        name={value}
        count={count}
        counts={seriesOf(counted, value)}
        change={changeOf(count, before && (before.find((one) => one.value === value)?.count ?? 0))}
        onOpen={() => onOpen(value)}
        {...look}
      />
    ));
}

type CardRowProps = Row & { tone?: 'error' | 'info' };

function CardRow({ name, count, counts, change, tone = 'info', onOpen }: CardRowProps) {
  return (
    <UnstyledButton className={classes.row} onClick={onOpen}>
      <span className="truncate" title={name}>
        {name === '' ? '(empty)' : name}
      </span>
      <span className="alignRight">{formatCount(count)}</span>
      <Spark counts={counts} tone={tone} />
      <span className={classes.change} data-tone={change?.tone ?? 'same'}>
        {change?.text}
      </span>
    </UnstyledButton>
  );
}

/** Runs the search that these edits make of an empty query. */
type Go = (...edits: readonly QueryEdit[]) => void;

type AnswerProps = { state: SearchState; go: Go };

/** The number of rows of an answer, and of a list of searches. */
const ROWS = 4;
