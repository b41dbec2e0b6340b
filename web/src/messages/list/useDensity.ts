/** How close the rows of a list stand, as this reader likes it. */
import { useLocalStorage } from '@mantine/hooks';

export type Density = 'small' | 'medium';

const LINE_PX = { small: 20, medium: 24 } as const;

export function useDensity() {
  const [density, setDensity] = useLocalStorage<Density>({
    key: 'logstead-density',
    defaultValue: 'medium',
    getInitialValueInEffect: false,
  });
  return { density, setDensity, linePx: LINE_PX[density] };
}
