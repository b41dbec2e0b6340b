/** Whether long messages run over several lines: kept per browser. */
import { useLocalStorage } from '@mantine/hooks';
import { useKeys } from '../ui/useKeys';

export function useWrap(): readonly [boolean, () => void] {
  const [wrap, setWrap] = useLocalStorage({ key: 'logstead-tail-wrap', defaultValue: false });
  const toggle = () => setWrap((was) => !was);
  useKeys({ w: { does: 'Wrap long messages, or not', run: toggle } });
  return [wrap, toggle];
}
