/** The senders: every host of every source, with those that need attention first. */
import { Button, TextInput } from '@mantine/core';
import { IconSearch, IconTransferIn } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Sender, Senders, SkippedSender } from '../api/model';
import { sendersQuery } from '../api/status';
import { Empty } from '../ui/Empty';
import { Loading } from '../ui/Loading';
import { Notice } from '../ui/Notice';
import { PageLoadError } from '../ui/PageLoadError';
import { useCommands } from '../ui/commands';
import { formatBytes, formatCount, formatMessages, formatRate } from '../ui/number';
import { follow, useOpen, address } from '../ui/open';
import { NOT_UNDERSTOOD } from '../ui/skipped';
import { SenderPanel } from './SenderPanel';
import { SenderTable } from './SenderTable';
import { countsOf, isSame, keyOf, listed, skippedOf } from './senders';
import {
  type SenderFilter,
  type SenderKey,
  type SendersState,
  senderFilters,
} from './sendersParams';
import classes from './Senders.module.css';

type Props = {
  state: SendersState;
  onChange: (state: SendersState, replace?: boolean) => void;
};

export function SendersPage({ state, onChange }: Props) {
  const { data, error, refetch, dataUpdatedAt } = useQuery(sendersQuery);
  const field = useRef<HTMLInputElement>(null);
  const openHref = useOpen();
  const senders = data?.senders ?? [];
  const rows = listed(senders, state);
  const opened = senders.find((sender) => state.open !== null && isSame(sender, state.open));
  const at = opened === undefined ? -1 : rows.indexOf(opened);
  const open = (key: SenderKey | null) => onChange({ ...state, open: key });
  const step = (by: number) => {
    const next = rows[at === -1 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (next !== undefined) onChange({ ...state, open: keyOf(next) }, true);
  };
  useCommands([
    { id: 'find', title: 'Find a sender', keys: '/', run: () => field.current?.focus() },
    { id: 'next', title: 'Next sender', keys: 'j', run: () => step(1) },
    { id: 'previous', title: 'Previous sender', keys: 'k', run: () => step(-1) },
    ...(state.open === null
      ? []
      : [{ id: 'close', title: 'Close the sender', keys: 'Escape', run: () => open(null) }]),
  ]);
  return (
    <div className="stack minHeight0 fullHeight" onClick={(event) => follow(event, openHref)}>
      <header className="strip wrap gap4x12">
        <h1>Senders</h1>
        {data !== undefined && <p className="dimmed">{summaryOf(senders)}</p>}
        <Button
          component="a"
          href={address('/send')}
          className="toEnd"
          leftSection={<IconTransferIn size={16} aria-hidden />}
        >
          How do I send?
        </Button>
      </header>
      <div className="flex grow minHeight0">
        <section className={classes.main} aria-label="All senders">
          <PageLoadError
            error={error}
            isFilled={data !== undefined}
            onRetry={() => void refetch()}
          />
          {data !== undefined && data.total > 0 && (
            <div className="row wrap gap8x12">
              <ShowChoice
                show={state.show}
                counts={countsOf(senders)}
                onShow={(show) => onChange({ ...state, show })}
              />
              <TextInput
                ref={field}
                className={classes.find}
                aria-label="Find a sender"
                placeholder="Host, address, certificate, source"
                leftSection={<IconSearch size={16} aria-hidden />}
                value={state.find}
                onChange={(event) => onChange({ ...state, find: event.currentTarget.value }, true)}
                onKeyDown={(event) => {
                  if (event.key === 'Escape') event.currentTarget.blur();
                }}
              />
            </div>
          )}
          {data !== undefined && data.left_out > 0 && (
            <Notice
              tone="caution"
              title={`${formatMessages(data.left_out)} of further hosts are not listed`}
            >
              At most 10 000 hosts are kept. Forget those that are gone, or find out who invents
              names.
            </Notice>
          )}
          {data !== undefined && <SkippedNotice {...data} />}
          {data === undefined && error === null && <Loading heights={[32, 320]} />}
          {data !== undefined &&
            (rows.length > 0 ? (
              <SenderTable
                rows={rows}
                sort={state.sort}
                isReversed={state.isReversed}
                opened={state.open}
                now={dataUpdatedAt}
                onSort={(sort) =>
                  onChange({
                    ...state,
                    sort,
                    isReversed: sort === state.sort && !state.isReversed,
                  })
                }
                onOpen={(sender) => open(keyOf(sender))}
              />
            ) : (
              <Nothing
                isAny={data.total > 0}
                onAll={() => onChange({ ...state, find: '', show: 'all' })}
              />
            ))}
        </section>
        {state.open !== null && data !== undefined && (
          <SenderPanel
            key={`${state.open.source}/${state.open.host}`}
            name={state.open}
            sender={opened}
            skipped={skippedOf(data.skipped, state.open, opened)}
            now={dataUpdatedAt}
            onStep={step}
            onClose={() => open(null)}
          />
        )}
      </div>
    </div>
  );
}

function summaryOf(senders: readonly Sender[]): string {
  const sending = senders.filter(({ rate }) => rate > 0).length;
  const rate = senders.reduce((sum, sender) => sum + sender.rate, 0);
  return `${formatCount(senders.length)} known, ${formatCount(sending)} sending, ${formatRate(rate)}/s`;
}

function Nothing({ isAny, onAll }: { isAny: boolean; onAll: () => void }) {
  if (isAny) {
    return (
      <Empty title="No sender is like that">
        <Button onClick={onAll}>Show all senders</Button>
      </Empty>
    );
  }
  return (
    <Empty title="No sender is known yet">
      <p>
        A host appears here with its first message, and after a crash of the server with its next
        one. See <a href={address('/send')}>how to send logs</a>, or whether the sources listen on
        the <a href={address('/router')}>Router</a> page.
      </p>
    </Empty>
  );
}

const labels: Record<SenderFilter, string> = {
  all: 'All',
  silent: 'Silent',
  skewed: 'Skewed',
  unparsed: 'Unparsed',
  new: 'New',
};

type ShowChoiceProps = {
  show: SenderFilter;
  counts: Record<SenderFilter, number>;
  onShow: (show: SenderFilter) => void;
};

/** The filter of the senders, with the number of senders of each kind. */
function ShowChoice({ show, counts, onShow }: ShowChoiceProps) {
  return (
    <div className={classes.shows} role="group" aria-label="Which senders">
      {senderFilters.map((one) => (
        <button
          key={one}
          type="button"
          className={classes.show}
          data-trouble={one}
          aria-pressed={one === show}
          onClick={() => onShow(one)}
        >
          {labels[one]} <span className="meta regular dimmed">{formatCount(counts[one])}</span>
        </button>
      ))}
    </div>
  );
}

/** The maximum number of rows; the rest is in the panels of the senders. */
const ROWS = 3;

/** The senders of bytes that no message holds: nothing else would show that these bytes arrived. */
export function SkippedNotice({ skipped, skipped_left_out: leftOut }: Senders) {
  const rows = skipped
    .map((row) => ({ ...row, bytes: row.reasons[NOT_UNDERSTOOD] ?? 0 }))
    .filter(({ bytes }) => bytes > 0);
  if (rows.length === 0) return null;
  const more = rows.length - ROWS;
  return (
    <Notice tone="caution" title={titleOf(rows)}>
      <ul className="marginY4">
        {rows.slice(0, ROWS).map(({ source, host, bytes }) => (
          <li key={`${source}/${host}`}>
            {formatBytes(bytes)} from <a href={address('/senders', { source, host })}>{host}</a>{' '}
            through {source}
          </li>
        ))}
        {more > 0 && <li>and from {more} more</li>}
        {leftOut > 0 && <li>and {formatBytes(leftOut)} of addresses that are not listed</li>}
      </ul>
      No message holds them: a sender may count its frames wrongly, or be no sender of logs.
    </Notice>
  );
}

function titleOf(rows: readonly SkippedSender[]): string {
  return `Not understood: ${formatBytes(rows.reduce((sum, { bytes }) => sum + bytes, 0))}`;
}
