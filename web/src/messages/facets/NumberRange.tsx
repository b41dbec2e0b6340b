/** The distribution of a field's numbers. A drag, or the arrows with Shift, selects a range. */
import { UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { type Cursor, movedCursor, spanOfCursor } from '../../ui/chart/selection';
import { formatMessages } from '../../ui/number';
import type { FieldProps } from './field';
import { type Numbers, brushOf, numberText, spanOf } from './numbers';
import classes from './NumberRange.module.css';

const HEIGHT_PX = 32;

type Props = FieldProps & { numbers: Numbers | undefined };

export function NumberRange({ numbers, field, choice, onEdit }: Props) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const pressed = useRef<number | null>(null);
  if (numbers === undefined) return null;
  const { buckets, unit } = numbers;
  const chosen = brushOf(numbers, choice.low, choice.high);
  const shown = cursor === null ? chosen : spanOfCursor(cursor);
  const highest = Math.max(...buckets.map(({ count }) => count), 1);
  const apply = (at: Cursor) => {
    setCursor(null);
    onEdit([{ op: 'between', field, ...spanOf(numbers, spanOfCursor(at)) }]);
  };
  const bucketAt = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / Math.max(width, 1)) * buckets.length);
    return Math.min(Math.max(at, 0), buckets.length - 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = event.key.startsWith('Arrow') && /Left|Right/.test(event.key);
    const at = next ? movedCursor(cursor, event.key, event.shiftKey, buckets.length) : null;
    if (at !== null) setCursor(at);
    else if (event.key === 'Enter' && cursor !== null) apply(cursor);
    else if (event.key === 'Escape' && cursor !== null) setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={classes.distribution} data-row>
      <div
        className={classes.plot}
        role="slider"
        tabIndex={-1}
        aria-label={`Numbers of ${field}`}
        aria-valuemin={0}
        aria-valuemax={buckets.length - 1}
        aria-valuenow={cursor?.at ?? 0}
        aria-valuetext={valueText(numbers, shown)}
        title="Drag to choose a range"
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(null)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          pressed.current = bucketAt(event);
          setCursor({ at: pressed.current, anchor: pressed.current });
        }}
        onPointerMove={(event) => {
          if (pressed.current !== null) setCursor({ at: bucketAt(event), anchor: pressed.current });
        }}
        onPointerUp={() => {
          pressed.current = null;
          if (cursor !== null) apply(cursor);
        }}
        onPointerCancel={() => {
          pressed.current = null;
          setCursor(null);
        }}
      >
        {buckets.map(({ from, count }, at) => (
          <span
            key={from}
            className={classes.bar}
            data-chosen={shown !== null && shown.first <= at && at <= shown.last}
            style={{ height: count === 0 ? 0 : Math.max((count / highest) * HEIGHT_PX, 1) }}
          />
        ))}
        {shown !== null && (
          <span
            className={classes.brush}
            style={{
              left: `${(100 * shown.first) / buckets.length}%`,
              right: `${100 - (100 * (shown.last + 1)) / buckets.length}%`,
            }}
          />
        )}
      </div>
      <dl className={classes.figures}>
        <Figure name="min" value={numberText(numbers.min, unit)} />
        <Figure name="median" value={numberText(numbers.median, unit)} />
        <Figure name="p95" value={numberText(numbers.p95, unit)} />
        <Figure name="max" value={numberText(numbers.max, unit)} />
      </dl>
      {chosen !== null && (
        <UnstyledButton
          className="meta line24 accent round4"
          tabIndex={-1}
          onClick={() => onEdit([{ op: 'between', field }])}
        >
          Any value
        </UnstyledButton>
      )}
    </div>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="truncate soft" title={value}>
        {value}
      </dd>
    </div>
  );
}

function valueText(numbers: Numbers, shown: { first: number; last: number } | null): string {
  if (shown === null) return 'Arrow keys walk, with Shift they mark, Enter chooses';
  const { buckets, unit, max } = numbers;
  const [from, to] = [buckets[shown.first]?.from ?? 0, buckets[shown.last + 1]?.from ?? max];
  const inside = buckets.slice(shown.first, shown.last + 1);
  const count = inside.reduce((sum, bucket) => sum + bucket.count, 0);
  return `${numberText(from, unit)} to ${numberText(to, unit)}, ${formatMessages(count)}`;
}
