/** The lines of a tail, the newest at the bottom. Only those in view are in the page, however many come. */
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type CSSProperties, useCallback, useState } from 'react';
import type { Message } from '../api/model';
import type { Hits } from '../ui/highlight';
import { useZone } from '../ui/time';
import type { Line } from './buffer';
import { LineDetail } from './LineDetail';
import { MessageLine } from './MessageLine';
import { NoteLine } from './NoteLine';
import { useColumns } from './useColumns';
import { useFollowing, useLines } from './useLines';
import classes from './Stream.module.css';

/** Where a stream is narrower, what names a message goes above its text. */
const NARROW_PX = 560;

type Props = {
  label: string;
  lines: readonly Line[];
  marks: Hits;
  wrap: boolean;
  following: boolean;
  /** Whether a screen reader reads what comes: only where it can keep up. */
  isSlow: boolean;
  onFollow: (following: boolean) => void;
  linkTo: (message: Message) => string;
  onFilter: (field: string, value: string, exclude: boolean) => void;
};

export function Stream(props: Props) {
  const { label, lines, marks, wrap, following, isSlow, onFollow } = props;
  const widths = useColumns(lines);
  const [zone] = useZone();
  const { scroller, onScroll, onReader, onPage } = useFollowing(lines, following, onFollow);
  const { ref: sized, width, height } = useElementSize();
  const isNarrow = width > 0 && width < NARROW_PX;
  const ref = useMergedRef(scroller, sized);
  /** Lines that were opened, and whether they still are. Only they differ in height. */
  const [opened, setOpened] = useState<ReadonlyMap<number, boolean>>(new Map());
  const { virtualizer, items, rowOf } = useLines(scroller, lines, following, {
    height,
    isNarrow,
    wrap,
  });
  const toggle = useCallback(
    (key: number) => {
      // What one reads must not move away.
      onFollow(false);
      onPage();
      setOpened((known) => new Map(known).set(key, known.get(key) !== true));
    },
    [onFollow, onPage],
  );
  const reachable = lines.at(-1)?.key;
  const columns = {
    '--host': `${widths.host + 0.5}ch`,
    '--program': `${widths.program + 0.5}ch`,
  };
  return (
    <div
      className={classes.frame}
      data-narrow={isNarrow}
      data-wrap={wrap}
      style={columns as CSSProperties}
    >
      <Head />
      <div
        ref={ref}
        className={classes.scroller}
        role="log"
        aria-label={label}
        aria-live={isSlow ? 'polite' : 'off'}
        tabIndex={0}
        onScroll={onScroll}
        onWheel={onReader}
        onTouchMove={onReader}
        onPointerDown={onReader}
        onKeyDown={onReader}
      >
        <div className={classes.lines} style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const line = lines[index];
            if (line === undefined) return null;
            const isOpen = opened.get(line.key) === true;
            const isMeasured = wrap || line.kind === 'note' || opened.has(line.key);
            return (
              <div
                key={wrap ? line.key : rowOf(index)}
                ref={isMeasured ? virtualizer.measureElement : undefined}
                data-index={index}
                className={classes.item}
                style={{ transform: `translateY(${start}px)` }}
              >
                {line.kind === 'note' && <NoteLine note={line.note} />}
                {line.kind === 'message' && (
                  <MessageLine
                    id={line.key}
                    message={line.message}
                    marks={marks}
                    zone={zone}
                    wrap={wrap}
                    isOpen={isOpen}
                    isReachable={line.key === reachable}
                    onToggle={toggle}
                  />
                )}
                {line.kind === 'message' && isOpen && (
                  <LineDetail
                    message={line.message}
                    marks={marks}
                    searchLink={props.linkTo(line.message)}
                    onFilter={props.onFilter}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Says what stands where; a screen reader hears each line as a whole. */
function Head() {
  return (
    <div className={classes.head} aria-hidden>
      <span />
      <span />
      <span>time</span>
      <span>host</span>
      <span>program</span>
      <span>message</span>
    </div>
  );
}
