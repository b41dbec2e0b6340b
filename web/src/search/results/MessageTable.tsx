/** The rows of the list: messages, and a line wherever another day begins. */
import { useInterval } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { Message } from '../../api/model';
import type { Hits } from '../../ui/highlight';
import type { RowLayout } from '../../ui/message/rowLayout';
import { dayLabel } from '../../ui/message/times';
import type { SearchState } from '../searchParams';
import { ListItem, MessageList, MessageRow } from '../../messages/list/MessageList';
import type { Folded } from '../../messages/list/folds';
import { dayShown, placeOf, rowAt } from './rows';
import type { List } from './useList';
import classes from '../../messages/list/Rows.module.css';

const NOW_MS = 5_000;

type Props = {
  state: SearchState;
  messages: readonly Message[];
  hits: Hits;
  layout: RowLayout;
  folds: Folded['folds'];
  hasMore: boolean;
  list: List;
  /** The field that the cursor stands on. */
  field: string | null;
  onChange: (part: Partial<SearchState>) => void;
  onStatistics: (field: string) => void;
};

export function MessageTable(props: Props) {
  const { state, messages, hits, layout, folds, list, field, hasMore } = props;
  const { virtualizer, rows, zone, cursor, room, linePx } = list;
  const { view, columns, times, wrap } = state;
  const now = useNow(times === 'relative');
  const firstPlace = virtualizer.range?.startIndex ?? 0;
  const tabStop = cursor.index === -1 ? firstPlace : placeOf(rows, cursor.index);
  return (
    <MessageList
      {...{ view, columns, times, layout, room, linePx }}
      label="Messages"
      day={dayShown(rows, firstPlace)}
      rowCount={hasMore ? -1 : rows.count + 1}
      height={virtualizer.getTotalSize()}
      onColumns={(chosen) => props.onChange({ columns: chosen })}
      onStatistics={props.onStatistics}
    >
      {virtualizer.getVirtualItems().map(({ index: place, key, start }) => {
        const row = rowAt(rows, place);
        const message = row.kind === 'message' ? messages[row.index] : undefined;
        const isCurrent = message !== undefined && message.id === cursor.id;
        const measure = list.isMeasured ? virtualizer.measureElement : null;
        return (
          <ListItem key={key} index={place} start={start} measure={measure}>
            {row.kind === 'day' && <DayRow day={row.day} rowIndex={place + 2} />}
            {row.kind === 'message' && message !== undefined && (
              <MessageRow
                {...{ view, columns, message, hits, layout, times, zone, now, wrap }}
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
          </ListItem>
        );
      })}
    </MessageList>
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
