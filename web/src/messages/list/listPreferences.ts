/** The reader's preferences for lists of messages. This browser keeps them. */
import { useBrowserState } from '../../ui/useBrowserState';
import type { Widths } from './columns';

export type Density = 'small' | 'medium';

const LINE_PX = { small: 20, medium: 24 } as const;

/** The distance between rows. */
export function useDensity() {
  const [density, setDensity] = useBrowserState<Density>({
    key: 'logstead-density',
    defaultValue: 'medium',
  });
  return { density, setDensity, linePx: LINE_PX[density] };
}

/** Whether repeats of a message are folded into one row. */
export function useFolding() {
  return useBrowserState({ key: 'logstead-fold', defaultValue: true });
}

/** The widths of the table's columns. */
export function useWidths() {
  return useBrowserState<Widths>({ key: 'logstead-column-widths', defaultValue: {} });
}
