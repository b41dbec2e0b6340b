/** The rows of a table that are in view: only those are in the page, whatever the number of all. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

const ROW_PX = 28;

export function useRowsInView(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  // The virtualizer keeps its own state, which the compiler cannot see; nothing here is compiled.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return { scroller, items, above, below };
}

type BodyProps = {
  above: number;
  below: number;
  /** The look of a cell that stands for the rows that are not in the page. */
  spaceClassName: string | undefined;
  children: ReactNode;
};

export function BodyInView({ above, below, spaceClassName, children }: BodyProps) {
  const space = (height: number) =>
    height > 0 && (
      <tr aria-hidden>
        <td className={spaceClassName} style={{ height }} />
      </tr>
    );
  return (
    <tbody>
      {space(above)}
      {children}
      {space(below)}
    </tbody>
  );
}
