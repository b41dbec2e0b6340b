/** Whether rows that say the same are folded, as this reader likes it. */
import { useLocalStorage } from '@mantine/hooks';

export function useFolding() {
  return useLocalStorage({
    key: 'logstead-fold',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
}
