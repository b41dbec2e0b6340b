/** The rows of the list, as lines or as a table. Only those in view are in the page. */
import { useInterval } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import type { Message } from '../../api/model';
import type { Hits } from '../../ui/highlight';
import type { Look } from '../../ui/message/look';
import { dayLabel } from '../../ui/message/times';
import type { SearchState } from '../searchParams';
import { LinesHead } from '../../messages/list/LinesHead';
import { TableHead } from '../../messages/list/TableHead';
import { MessageRow } from '../../messages/list/MessageRow';
import { listStyle } from '../../messages/list/listStyle';
import { type Widths, tracks } from '../../messages/list/columns';
import type { Folded } from '../../messages/list/folds';
import { dayShown, placeOf, rowAt } from './rows';
import type { List } from './useList';
import { useWidths } from '../../messages/list/useWidths';
import classes from '../../messages/list/Rows.module.css';

const NOW_MS = 5_000;

type Props = {
  state: SearchState;
  messages: readonly Message[];
  hits: Hits;
  look: Look;
  folds: Folded['folds'];
  hasMore: boolean;
  list: List;
  /** The field that the cursor stands on. */
  field: string;
  onChange: (part: Partial<SearchState>) => void;
  onStatistics: (field: string) => void;
};

export function MessageTable(props: Props) {
  const { list, field } = props;
  const { state, messages, look, folds, hasMore, onChange, onStatistics } = props;
  const { virtualizer, rows, zone, cursor } = list;
  const table = useRef<HTMLDivElement>(null);
  const [widths, setWidths] = useWidths();
  const now = useNow(state.times === 'relative');
  const items = virtualizer.getVirtualItems();
  const firstPlace = virtualizer.range?.startIndex ?? 0;
  const day = dayLabel(dayShown(rows, firstPlace));
  const isTable = state.view === 'table';
  const draft = (next: Widths) =>
    table.current?.style.setProperty('--tracks', tracks(state.columns, next));
  const shared = { hits: props.hits, look, times: state.times, zone, now, wrap: state.wrap };
  const tabStop = cursor.index === -1 ? firstPlace : placeOf(rows, cursor.index);
  return (
    <div
      ref={table}
      className={classes.table}
      role="table"
      aria-label="Messages"
      aria-rowcount={hasMore ? -1 : rows.count + 1}
      data-view={state.view}
      data-narrow={!isTable && list.room === 'narrow'}
      style={listStyle({ ...state, widths, look, room: list.room, linePx: list.linePx })}
    >
      <div role="rowgroup" className={classes.head}>
        {isTable ? (
          <TableHead
            day={day}
            columns={state.columns}
            widths={widths}
            onColumns={(columns) => onChange({ columns })}
            onWidths={setWidths}
            onDraft={draft}
            onStatistics={onStatistics}
          />
        ) : (
          <LinesHead day={day} look={look} />
        )}
      </div>
      <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index: place, key, start }) => {
          const row = rowAt(rows, place);
          const message = row.kind === 'message' ? messages[row.index] : undefined;
          const isCurrent = message !== undefined && message.id === cursor.id;
          return (
            <div
              key={key}
              ref={list.isMeasured ? virtualizer.measureElement : null}
              data-index={place}
              className={classes.item}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row.kind === 'day' && <DayRow day={row.day} rowIndex={place + 2} />}
              {row.kind === 'message' && message !== undefined && (
                <MessageRow
                  {...shared}
                  columns={isTable ? state.columns : null}
                  message={message}
                  fold={folds.get(message.id)}
                  index={row.index}
                  rowIndex={place + 2}
                  current={isCurrent}
                  field={isCurrent ? field : null}
                  open={message.id === state.open}
                  marked={state.marks.includes(message.id)}
                  focusable={place === tabStop}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function DayRow({ day, rowIndex }: { day: string; rowIndex: number }) {
  return (
    <div role="row" aria-rowindex={rowIndex} className={classes.day}>
      <span role="cell">{dayLabel(day)}</span>
    </div>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  const { start, stop } = useInterval(() => setNow(Date.now()), NOW_MS);
  useEffect(() => {
    if (ticking) start();
    return stop;
  }, [ticking, start, stop]);
  return ticking ? now : 0;
}
