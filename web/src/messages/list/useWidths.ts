/** The widths of columns, kept by this browser. */
import { useLocalStorage } from '@mantine/hooks';
import type { Widths } from './columns';

export function useWidths(): readonly [Widths, (widths: Widths) => void] {
  const [widths, setWidths] = useLocalStorage<Widths>({
    key: 'logstead-column-widths',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  return [widths, setWidths];
}
