/** How close the rows of a list stand, as this reader likes it. */
import { useKept } from '../../ui/useKept';

export type Density = 'small' | 'medium';

const LINE_PX = { small: 20, medium: 24 } as const;

export function useDensity() {
  const [density, setDensity] = useKept<Density>({
    key: 'logstead-density',
    defaultValue: 'medium',
  });
  return { density, setDensity, linePx: LINE_PX[density] };
}
