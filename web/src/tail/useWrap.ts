/** Whether long messages run over several lines: kept per browser. */
import { useKept } from '../ui/useKept';

export function useWrap(): readonly [boolean, () => void] {
  const [wrap, setWrap] = useKept({ key: 'logstead-tail-wrap', defaultValue: false });
  return [wrap, () => setWrap((was) => !was)];
}
