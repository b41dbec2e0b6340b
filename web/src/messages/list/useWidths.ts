/** The widths of columns, kept by this browser. */
import type { Widths } from './columns';
import { useKept } from '../../ui/useKept';

export function useWidths(): readonly [Widths, (widths: Widths) => void] {
  const [widths, setWidths] = useKept<Widths>({
    key: 'logstead-column-widths',
    defaultValue: {},
  });
  return [widths, setWidths];
}
