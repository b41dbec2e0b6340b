/** Whether long messages run over several lines: kept per browser. */
import { useLocalStorage } from '@mantine/hooks';

export function useWrap(): readonly [boolean, () => void] {
  const [wrap, setWrap] = useLocalStorage({ key: 'logstead-tail-wrap', defaultValue: false });
  return [wrap, () => setWrap((was) => !was)];
}
