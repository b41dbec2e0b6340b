/** Whether rows that say the same are folded, as this reader likes it. */
import { useKept } from '../../ui/useKept';

export function useFolding() {
  return useKept({
    key: 'logstead-fold',
    defaultValue: true,
  });
}
