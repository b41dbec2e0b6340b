/** The histogram in one line: only its shape. */
import { useMemo } from 'react';
import type { Histogram } from '../../api/model';
import { layerPath, stackOf } from '../../ui/chart/stack';

const WIDTH = 600;
const HEIGHT = 24;

type Props = { histogram: Histogram; split: string };

export function HistogramStrip({ histogram, split }: Props) {
  const { layers, highest } = useMemo(() => stackOf(histogram, split), [histogram, split]);
  const size = { width: WIDTH, height: HEIGHT, top: Math.max(highest, 1) };
  return (
    <svg
      className="block fullWidth height24"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {layers.map(({ label, color }, at) => (
        <path key={label} fill={color} d={layerPath(layers, at, size)} />
      ))}
    </svg>
  );
}
